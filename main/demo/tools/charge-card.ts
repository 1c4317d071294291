// The race that the product is about: a write with a point of no return. Before it, a cancel is heeded; after it, the
// write happens although the caller was told "cancelled", and the SDK sends no word of it.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { type Demo, fails, says } from '../demo';
import { DEMO_TOOLS } from '../probes';
import { appendToLedger, type Charge, freshId, readLedger } from '../state';

const COMMIT_MS = 200;
const WRITE_MS = DEMO_TOOLS.charge_card.normallyMs;

const inputSchema = {
  amount: z.int().min(1).max(1_000_000).meta({ title: 'Amount in cents', description: '4200 is 42.00.', default: 4200 }),
  currency: z.enum(['EUR', 'USD', 'GBP']).default('EUR').meta({ title: 'Currency', description: 'The currency of the charge.' }),
  idempotency_key: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ title: 'Idempotency key', description: 'With the same key a second charge adds nothing and returns the first.' }),
  commit_ms: z
    .int()
    .min(0)
    .max(600_000)
    .default(COMMIT_MS)
    .meta({ title: 'Commit point (ms)', description: 'Until then a cancel is heeded, from then on it is ignored.' }),
  write_ms: z
    .int()
    .min(0)
    .max(600_000)
    .default(WRITE_MS)
    .meta({ title: 'Write (ms)', description: 'When the line is appended to the ledger; not before the commit point.' }),
  jitter_ms: z.int().min(0).max(600_000).default(0).meta({
    title: 'Jitter (ms)',
    description: 'The commit point comes by chance up to this much later: the same Stop helps one time and not the next.',
  }),
};

/** Charges past their commit point whose line is not on the ledger yet, by idempotency key; of all instances in the process. */
const underWay = new Map<string, Promise<Charge>>();

export function chargeCard({ server, folder }: Demo): void {
  async function write(charge: Charge, ms: number): Promise<Charge> {
    await rest(ms);
    appendToLedger(folder, charge);
    return charge;
  }

  server.registerTool(
    'charge_card',
    {
      title: 'Charge a card',
      description:
        'Charges a card by appending one line to ledger.jsonl. Cancelled before its commit point (200 ms) it charges nothing. Cancelled later it charges all the same, at 400 ms, and says nothing.',
      inputSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    async ({ amount, currency, idempotency_key: key, commit_ms, write_ms, jitter_ms }, { signal }) => {
      if (write_ms < commit_ms + jitter_ms)
        return fails(`write_ms must not be before commit_ms and jitter_ms; got ${write_ms}, ${commit_ms} and ${jitter_ms}.`);
      const commitMs = commit_ms + Math.random() * jitter_ms;
      await rest(commitMs, undefined, { signal });
      // The point of no return: nothing below looks at the signal.
      const earlier =
        key === undefined ? undefined : (underWay.get(key) ?? readLedger(folder).find((charge) => charge.idempotency_key === key));
      if (earlier) {
        const charge = await earlier;
        return says(`Already charged ${charge.amount} ${charge.currency} as ${charge.id}; charged nothing more`);
      }
      const charge = {
        id: freshId('ch_'),
        at: new Date().toISOString(),
        amount,
        currency,
        ...(key !== undefined && { idempotency_key: key }),
      };
      const written = write(charge, write_ms - commitMs);
      if (key !== undefined) underWay.set(key, written);
      await written.finally(() => key !== undefined && underWay.delete(key));
      return says(`Charged ${amount} ${currency} as ${charge.id}`);
    },
  );
}
