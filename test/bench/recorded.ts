// A trace that a real session has recorded, for benches: forty calls side by side whose progress comes at a steady pace, a
// thousand calls in all, through the host's whole path from the pipe to the file. Some are stopped; the server goes on and
// answers late, so the trace has what a person would look for.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fromMs } from '../../app/base/time';
import { connect } from './host';
import { server } from './servers';

const CALLS = 1000;
const SIDE_BY_SIDE = 40;
/** Progress notifications of a call, and how many of them come in a second. */
const PROGRESS = 100;
const RATE = 125;
/** Of so many calls one is stopped. */
const STOPPED = 25;
const LOOK_MS = 5;

export interface Recorded {
  readonly file: string;
  readonly frames: number;
  /** Calls whose verdict is a warning. */
  readonly warnings: number;
}

/** Records; takes about twenty seconds. The file goes away with the process. */
export async function record(): Promise<Recorded> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'stopgap-bench-recorded-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { session, recording, close } = await connect(server('steady'));
  const { calls } = recording.judge;
  const answered = (): number => calls.all.filter((call) => call.tool === 'steady' && call.replies.length > 0).length;
  for (let sent = 0; answered() < CALLS; ) {
    for (let free = SIDE_BY_SIDE - (sent - answered()); free > 0 && sent < CALLS; free--) await session.call(request(sent++));
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  recording.advance();
  await recording.recorder.flush();
  const file = path.join(folder, `recorded${path.basename(recording.recorder.path)}`);
  copyFileSync(recording.recorder.path, file);
  const frames = recording.recorder.trace.length;
  const warnings = calls.all.filter((call) => recording.judge.verdict(call.index)?.severity === 'warn').length;
  await close();
  return { file, frames, warnings };
}

const request = (n: number) => ({
  tool: 'steady',
  arguments: { count: PROGRESS, rate: RATE },
  probes: [],
  settle: fromMs(500),
  normally: undefined,
  fence: false,
  stopAfterMs: n % STOPPED === 0 ? 200 : undefined,
  onStopped: () => undefined,
});
