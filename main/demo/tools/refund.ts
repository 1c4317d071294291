// The undo of charge_card. MCP has none of its own: undoing is one more call, and somebody has to make it.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { type Demo, fails, says } from '../demo';
import { DEMO_TOOLS } from '../probes';
import { readLedger, removeFromLedger } from '../state';

export function refund({ server, folder }: Demo): void {
  server.registerTool(
    'refund',
    {
      title: 'Refund a charge',
      description:
        'Takes a charge off the ledger by rewriting it without that line. Name the charge by its id or its idempotency key; without either the newest charge is taken. Cancelled within its 150 ms it removes nothing.',
      inputSchema: {
        charge_id: z.string().min(1).optional().meta({ title: 'Charge', description: 'As returned by charge_card: ch_…' }),
        idempotency_key: z
          .string()
          .min(1)
          .max(64)
          .optional()
          .meta({ title: 'Idempotency key', description: 'For a charge whose answer never came, so that its id is not known.' }),
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    async ({ charge_id, idempotency_key }, { signal }) => {
      await rest(DEMO_TOOLS.refund.normallyMs, undefined, { signal });
      const charge = readLedger(folder).findLast(
        ({ id, idempotency_key: key }) => (charge_id ?? id) === id && (idempotency_key ?? key) === key,
      );
      if (!charge) return fails('Found no such charge on the ledger; refunded nothing.');
      removeFromLedger(folder, charge.id);
      return says(`Refunded ${charge.amount} ${charge.currency}, charged as ${charge.id}`);
    },
  );
}
