// How much of a flood is captured: every message stamped, written to the trace and folded, against a loop that only reads
// the pipe and parses. Every number must be there, or the bench fails.
import { spawn } from 'node:child_process';
import { ZERO } from '../../app/base/time';
import { type Figure, figure, inTurns } from './figures';
import { connect } from './host';
import { server } from './servers';

const COUNT = 300_000;
const ROUNDS = 3;

export async function stdioFlood(): Promise<Figure> {
  const measured = await inTurns(ROUNDS, captured, pipeAndParse);
  return figure({
    name: 'stdio-flood',
    ...measured,
    unit: 'messages/s',
    against: 'pipe plus JSON.parse alone',
    goal: { atLeast: 0.4 },
    remark: `${COUNT.toLocaleString('en')} progress notifications, none lost`,
  });
}

async function captured(): Promise<number> {
  const { session, recording, next, close } = await connect(server('flood'));
  const since = performance.now();
  const answered = next((message) => message.facts.shape === 'result');
  await session.call({
    tool: 'flood',
    arguments: { count: COUNT },
    probes: [],
    settle: ZERO,
    normally: undefined,
    fence: false,
    stopAfterMs: undefined,
    onStopped: () => undefined,
  });
  await answered;
  recording.advance();
  await recording.recorder.flush();
  const seconds = (performance.now() - since) / 1000;
  const call = recording.judge.calls.all.find((c) => c.tool === 'flood');
  const { trace } = recording.recorder;
  const whole = call?.progress.every((seq, n) => trace.num(seq) === Math.round(((n + 1) / COUNT) * 1e6));
  if (call?.progress.length !== COUNT || !whole)
    throw new Error(`expected ${COUNT} notifications in order, folded ${call?.progress.length}`);
  await close();
  return COUNT / seconds;
}

function pipeAndParse(): Promise<number> {
  const { command, args } = server('flood', '--bare', String(COUNT));
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let since = 0;
  let rest = '';
  let seen = 0;
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    since ||= performance.now();
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      JSON.parse(line);
      seen++;
    }
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => {
      if (seen === COUNT) resolve(COUNT / ((performance.now() - since) / 1000));
      else reject(new Error(`the baseline read ${seen} of ${COUNT}`));
    });
  });
}
