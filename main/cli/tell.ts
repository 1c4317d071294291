// What a run has to say: JSON with nothing else on stdout, or the text report.
import { textOf } from '../../app/report/text';
import { wrapped } from '../../app/report/words';
import type { Performed } from './perform';
import { type ColorChoice, painter, print, width } from './terminal';

export interface Told {
  readonly title: string | undefined;
  readonly performed: Performed;
}

export interface TellOptions {
  readonly json?: true | undefined;
  readonly color: ColorChoice;
  /** Several scenarios were asked for: their reports are a list, however many of them were made. */
  readonly several?: boolean;
}

export async function tell(told: readonly Told[], { json, color, several = false }: TellOptions): Promise<void> {
  if (json) {
    const reports = told.map(({ performed }) => performed.report);
    if (reports.length > 0) await print(`${JSON.stringify(several ? reports : reports[0], undefined, 2)}\n`);
    return;
  }
  for (const { title, performed } of told) {
    const paint = painter(color);
    const options = { width: width(), paint };
    const lines = [
      ...(title === undefined ? [] : [paint('strong', title), '']),
      ...textOf(performed.judged, performed.report, options),
      ...(performed.surprises.length === 0
        ? []
        : [
            '',
            paint('breach', 'Found, and expected by nobody'),
            ...performed.surprises.flatMap((line) => wrapped(line, options.width - 2).map((text) => `  ${text}`)),
          ]),
      '',
    ];
    await print(`${lines.join('\n')}\n`);
  }
}
