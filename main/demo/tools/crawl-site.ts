// A long read that reports its progress and stops with the page it is on.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { type Demo, pagesDone, says } from '../demo';
import { DEMO_TOOLS } from '../probes';

const PAGES = 40;
const PAGE_MS = DEMO_TOOLS.crawl_site.normallyMs / PAGES;

export function crawlSite({ server }: Demo): void {
  server.registerTool(
    'crawl_site',
    {
      title: 'Crawl a site',
      description: `Reads a site page by page, ${PAGE_MS} ms each (nothing is really fetched), and reports progress. Reads only. Cancelling stops it at once: no more progress, no answer.`,
      inputSchema: {
        url: z.url().default('https://shop.example/').meta({ title: 'Site', description: 'Where to begin.' }),
        pages: z.int().min(1).max(400).default(PAGES).meta({ title: 'Pages', description: 'How many pages to read.' }),
      },
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    async ({ url, pages }, call) => {
      for (let done = 1; done <= pages; done++) {
        await rest(PAGE_MS, undefined, { signal: call.signal });
        const progress = pagesDone(call, done, pages);
        if (progress) await call.sendNotification(progress);
      }
      return says(`Read ${pages} pages of ${url}`);
    },
  );
}
