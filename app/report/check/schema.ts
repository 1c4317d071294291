// The report card as JSON: public, version 1 (docs/cli.md). A line is about one check and one tool, or about the whole server.
import { z } from 'zod';
import { STATUSES } from '../../scenario/check/answer';
import { CHECK_IDS, type Line } from '../../scenario/check/card';
import { TRANSPORTS } from '../../wire/frame';

export const CHECK_FORMAT = 'stopgap-check';
export const CHECK_VERSION = 1;

const line = z.strictObject({
  check: z.string().refine((id) => CHECK_IDS.includes(id), 'expected the id of a check'),
  /** null for lines about the whole server. */
  tool: z.string().nullable(),
  status: z.enum(STATUSES),
  sentence: z.string(),
  /** Whose rule it is: revision and section. */
  source: z.string(),
  because: z.array(z.strictObject({ seq: z.number().int().nonnegative(), says: z.string() })),
});

export const checkReport = z.strictObject({
  format: z.literal(CHECK_FORMAT),
  version: z.literal(CHECK_VERSION),
  server: z.strictObject({ name: z.string(), version: z.string(), protocol: z.string(), transport: z.enum(TRANSPORTS) }),
  lines: z.array(line),
  /** It was ended before everything had been tried. */
  interrupted: z.boolean(),
});
export type CheckReport = z.infer<typeof checkReport>;
export type ReportedLine = CheckReport['lines'][number];

export interface Card {
  readonly server: CheckReport['server'];
  readonly lines: readonly Line[];
  readonly interrupted: boolean;
}

export const checkReportOf = ({ server, lines, interrupted }: Card): CheckReport => ({
  format: CHECK_FORMAT,
  version: CHECK_VERSION,
  server,
  lines: lines.map(({ check, tool = null, status, sentence, source, because }) => ({
    check,
    tool,
    status,
    sentence,
    source,
    because: because.map(({ seq, says }) => ({ seq, says })),
  })),
  interrupted,
});
