// What is known about the demo server before it runs: where each tool's effect shows, and how long each call takes
// when nobody stops it. A description only, so that the host, the window and the command line can take it as it is;
// the server takes its own delays from here too, so that the two cannot drift apart.

/** One place to watch. `path` is relative to the server's state folder; `match` is a glob of file names in that path. */
export interface DemoProbe {
  readonly kind: 'folder';
  readonly path: string;
  readonly match: string;
}

export const DEMO_PROBES = {
  ledger: { kind: 'folder', path: '.', match: 'ledger.jsonl' },
  outbox: { kind: 'folder', path: 'outbox', match: '*.eml' },
  tickets: { kind: 'folder', path: 'tickets', match: '*.json' },
  seats: { kind: 'folder', path: 'seats', match: '*.{held,booked}' },
  releases: { kind: 'folder', path: 'releases', match: '*.json' },
  reports: { kind: 'folder', path: 'reports', match: '*.txt' },
} as const satisfies Readonly<Record<string, DemoProbe>>;

export type DemoProbeName = keyof typeof DEMO_PROBES;

/** The probes that can see a tool's effect (none: it has none), and the length of an undisturbed call with its default arguments in ms. */
export interface DemoTool {
  readonly probes: readonly DemoProbeName[];
  readonly normallyMs: number;
  /** Arguments for a check (main/host/checker.ts), and how long it takes with them: shorter, or with wide margins between its moments. */
  readonly example?: { readonly arguments: Readonly<Record<string, unknown>>; readonly normallyMs: number };
  /** The tool that takes the effect back, and its arguments as templates over those of the call. */
  readonly undo?: { readonly tool: string; readonly arguments: Readonly<Record<string, string>> };
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: filled in when an undo is made
const KEY = '${arguments.idempotency_key}';

export const DEMO_TOOLS = {
  search_orders: { probes: [], normallyMs: 800 },
  crawl_site: { probes: [], normallyMs: 6000, example: { arguments: { pages: 8 }, normallyMs: 1200 } },
  huge_search: { probes: [], normallyMs: 3000 },
  charge_card: {
    probes: ['ledger'],
    normallyMs: 400,
    example: { arguments: { amount: 4200, commit_ms: 100, write_ms: 1100 }, normallyMs: 1100 },
    undo: { tool: 'refund', arguments: { idempotency_key: KEY } },
  },
  refund: { probes: ['ledger'], normallyMs: 150 },
  send_email: { probes: ['outbox'], normallyMs: 1500, example: { arguments: { to: 'ada@shop.example' }, normallyMs: 1500 } },
  create_ticket: { probes: ['tickets'], normallyMs: 1200, example: { arguments: { title: 'The door sticks' }, normallyMs: 1200 } },
  book_seat: { probes: ['seats'], normallyMs: 1500 },
  deploy: { probes: ['releases'], normallyMs: 2600 },
  export_report: { probes: ['reports'], normallyMs: 4800, example: { arguments: { pages: 6 }, normallyMs: 1200 } },
  render_invoice: { probes: [], normallyMs: 1500, example: { arguments: { ms: 2500 }, normallyMs: 2500 } },
} as const satisfies Readonly<Record<string, DemoTool>>;

export type DemoToolName = keyof typeof DEMO_TOOLS;
