// The running recording: a trace file that grows, and a judge that keeps up with it. Whoever appends a frame wakes it;
// it then judges at once, though not again within 8 ms, and again when time alone will change a verdict. Eight, because the
// window draws every sixteen: what waits here waits there once more.
import type { Clock } from '../../app/base/time';
import { FOREVER, toMs } from '../../app/base/time';
import type { Trace } from '../../app/trace/trace';
import type { Due, Judge } from '../../app/verdict/judge';
import type { Verdict } from '../../app/verdict/verdict';
import { createRecorder, type Recorder, type RecorderOptions } from '../store/recorder';

export const TICK_MS = 8;
/** The longest that a timer can be set to. */
const LONGEST_MS = 2 ** 31 - 1;

export interface Recording {
  /** Where frames go; appending to it wakes the judge. */
  readonly recorder: Recorder;
  readonly judge: Judge;
  readonly clock: Clock;
  /** Judges now what has been appended so far. */
  advance(): void;
  /** Judges a last time and closes the file. */
  close(): Promise<void>;
}

export interface RecordingOptions extends Omit<RecorderOptions, 'began'> {
  readonly judge: (trace: Trace) => Judge;
  /** Called after each judgement that took new frames or changed a verdict. */
  readonly onAdvance: (changed: readonly Verdict[]) => void;
  /** Called with what readings are wanted now. */
  readonly onDue: (due: readonly Due[]) => void;
}

/** Starts a recording: its file is there when this returns, or the recorder says why not. */
export function startRecording({ judge: judgeOf, onAdvance, onDue, ...options }: RecordingOptions): Recording {
  const { clock } = options;
  const file = createRecorder({ ...options, began: new Date(clock.wallMs() - toMs(clock.now())).toISOString() });
  const judge = judgeOf(file.trace);
  let tick: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let closed = false;
  /** When it was judged last, in ms. */
  let judged = Number.NEGATIVE_INFINITY;

  const advance = (): void => {
    clearTimeout(tick);
    clearTimeout(deadline);
    tick = undefined;
    const now = clock.now();
    judged = toMs(now);
    onAdvance(judge.advance(now));
    const due = judge.due(now);
    if (due.length > 0) onDue(due);
    if (judge.nextAt === FOREVER || closed) return;
    deadline = setTimeout(advance, Math.min(LONGEST_MS, Math.max(1, Math.ceil(toMs(judge.nextAt) - toMs(clock.now())))));
  };
  const wake = (): void => {
    if (!closed) tick ??= setTimeout(advance, Math.max(0, judged + TICK_MS - toMs(clock.now())));
  };

  return {
    recorder: waking(file, wake),
    judge,
    clock,
    advance,
    async close() {
      closed = true;
      advance();
      await file.close();
    },
  };
}

/** The recorder itself, except that an append wakes somebody. */
function waking(file: Recorder, wake: () => void): Recorder {
  return Object.create(file, {
    message: {
      value: (message: Parameters<Recorder['message']>[0]) => {
        wake();
        return file.message(message);
      },
    },
    frame: {
      value: (frame: Parameters<Recorder['frame']>[0]) => {
        wake();
        return file.frame(frame);
      },
    },
  }) as Recorder;
}
