// What a person can make happen in the race laboratory: scenarios opened, edited, run and saved, a tool swept. Part of the
// actions; like them it shows a refusal in the host's own words.
import type { Params, Request, Results } from '../app/contract/host';
import type { ShellBridge } from '../app/contract/shell';
import type { LabPage, OpenScenario, Store } from './store/state';
import { toast } from './store/wire';

export type Ask = <R extends Request>(request: R, params: Params<R>) => Promise<Results[R] | undefined>;

/** What an empty file begins with: it runs as it stands. */
export const NEW_SCENARIO = `version: 1
name: A new scenario
server: { demo: true }
steps:
  - call: charge
    tool: charge_card
    arguments: { amount: 4200 }
  - stop: charge
    when: 300ms
  - settle: charge
expect:
  - { call: charge, verdict: [write-after-cancel, stopped] }
`;

export type LabActions = ReturnType<typeof labActions>;

export function labActions(ask: Ask, store: Store, shell: ShellBridge) {
  const show = (labPage: LabPage): void => store.setState({ side: 'lab', labPage });

  let opened = 0;
  const open = (scenario: Omit<OpenScenario, 'id'>): void => {
    store.setState({ scenario: { ...scenario, id: ++opened } });
    show('scenario');
  };

  const active = () => {
    const { lab } = store.getState();
    return lab && lab.state !== 'over' ? lab : undefined;
  };

  /** Runs what is open. @param how how often, and whether it waits before every step */
  async function run(how: { readonly repeat?: number; readonly step?: boolean } = {}): Promise<void> {
    const { scenario } = store.getState();
    if (!scenario) return;
    await runAs({ text: scenario.text, ...(scenario.path === undefined ? {} : { path: scenario.path }), ...how });
  }

  /** Runs a scenario. What it would start is shown first, where nobody has agreed to it yet. */
  async function runAs(how: Params<'scenario.run'>): Promise<void> {
    if (store.getState().view?.source === 'file') await ask('trace.live', {});
    const answer = await ask('scenario.run', how);
    if (answer && 'approval' in answer) store.setState({ dialog: { kind: 'approve-run', how, approval: answer.approval } });
  }

  async function openFile(path?: string): Promise<void> {
    const chosen = path ?? (await shell.request('dialog.file', { kind: 'scenario', as: 'open' }));
    if (chosen === undefined) return;
    const read = await ask('scenario.read', { path: chosen });
    if (read) open({ path: read.path, lesson: undefined, text: read.text, saved: read.text });
  }

  /** Saves what is open: where it lies, or where the person wants it. */
  async function save(elsewhere = false): Promise<void> {
    const { scenario } = store.getState();
    if (!scenario) return;
    const name = `${scenario.lesson ?? 'scenario'}.yaml`;
    const path = (elsewhere ? undefined : scenario.path) ?? (await shell.request('dialog.file', { kind: 'scenario', as: 'save', name }));
    if (path === undefined) return;
    const whole = /\.ya?ml$/i.test(path) ? path : `${path}.yaml`;
    const { text } = scenario;
    if (!(await ask('scenario.write', { path: whole, text }))) return;
    store.setState({ scenario: { ...scenario, path: whole, lesson: undefined, saved: text } });
    toast(store, 'info', `Saved as ${whole}.`);
  }

  return {
    show,
    openFile,
    run,
    runAs,
    save,
    openLesson: (lesson: string, text: string): void => open({ path: undefined, lesson, text, saved: text }),
    openNew: (text = NEW_SCENARIO, saved = ''): void => open({ path: undefined, lesson: undefined, text, saved }),
    edit: (text: string): void => store.setState(({ scenario }) => (scenario ? { scenario: { ...scenario, text } } : {})),
    /** One step on, in a run that waits; else begins one that does. */
    step: async (): Promise<void> => {
      const lab = active();
      if (lab?.state === 'paused') await ask('scenario.step', { run: lab.run, to: 'next' });
      else if (!lab) await run({ step: true });
    },
    /** A run that waits before a step waits no more. */
    runOn: async (): Promise<void> => {
      const lab = active();
      if (lab) await ask('scenario.step', { run: lab.run, to: 'end' });
    },
    stop: async (): Promise<void> => {
      const lab = active();
      if (lab) await ask('lab.stop', { run: lab.run });
    },
    /** Makes a scenario of what was called, and opens it. */
    record: async (calls: readonly number[]): Promise<boolean> => {
      const made = await ask('scenario.record', { calls: [...calls] });
      if (made) open({ path: undefined, lesson: undefined, text: made.text, saved: '' });
      return made !== undefined;
    },
    sweep: async (request: Params<'sweep.run'>): Promise<boolean> => {
      if (!(await ask('sweep.run', request))) return false;
      show('sweep');
      return true;
    },
    exportSweep: async (tool: string, text: string): Promise<void> => {
      const path = await shell.request('dialog.file', { kind: 'sweep', as: 'save', name: `sweep-${tool}.json` });
      if (path === undefined) return;
      const whole = /\.json$/i.test(path) ? path : `${path}.json`;
      if (await ask('sweep.write', { path: whole, text })) toast(store, 'info', `Saved as ${whole}.`);
    },
  };
}
