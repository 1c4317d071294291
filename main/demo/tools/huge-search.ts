// A read that never looks at its signal and answers late, as servers do that know nothing of cancelling.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { answerAnyway, type Demo, says } from '../demo';
import { DEMO_TOOLS } from '../probes';

export function hugeSearch(demo: Demo): void {
  demo.server.registerTool(
    'huge_search',
    {
      title: 'Search the archive',
      description: 'Searches the whole archive for about three seconds. Reads only. Cancelling is ignored: it works on and answers late.',
      inputSchema: {
        query: z.string().max(100).default('invoice').meta({ title: 'Words', description: 'What to look for.' }),
        rows: z
          .int()
          .min(1)
          .max(5000)
          .default(50)
          .meta({ title: 'Rows', description: 'How many rows to answer with: makes the late answer large.' }),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ query, rows }, call) => {
      await rest(DEMO_TOOLS.huge_search.normallyMs);
      const lines = Array.from({ length: rows }, (_, row) => `${row + 1}: ${query}`);
      return answerAnyway(demo, call, says(lines.join('\n')));
    },
  );
}
