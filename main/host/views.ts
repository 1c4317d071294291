// What the window looks at: the running recording, or a trace file that is replayed through the same folds and the same
// judge, a slice at a time, so that a long one neither blocks a running race nor floods the window.
import type { Events, FrameBody, View } from '../../app/contract/host';
import type { Trace } from '../../app/trace/trace';
import type { Judge } from '../../app/verdict/judge';
import type { Seq } from '../../app/wire/frame';
import { type OpenTrace, openTrace } from '../store/replay';
import { type Feed, feed } from './feed';
import { type Recording, TICK_MS } from './recording';

export interface ViewsOptions {
  readonly judge: (trace: Trace) => Judge;
  /** Called before the first batch of a view that nobody has been told of by an answer. */
  readonly onView: (view: View) => void;
  readonly batch: (event: Events['batch']) => void;
  readonly verdicts: (event: Events['verdicts']) => void;
}

/** Before anything was recorded there is an empty view. */
const NOTHING: View = { id: 0, source: 'live', path: '', began: new Date(0).toISOString(), repaired: undefined };

interface File {
  readonly view: View;
  readonly opened: OpenTrace;
  readonly judge: Judge;
}

/** So many frames are judged in one turn. */
const SLICE = 4096;

export class Views {
  readonly #options: ViewsOptions;
  /** Numbers views; one that is shown again keeps its number. */
  #ids = 0;
  #live: { readonly view: View; readonly recording: Recording } | undefined;
  #file: File | undefined;
  #feed: Feed | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Nobody listens: nothing is sent until somebody says hello. */
  #quiet = true;

  constructor(options: ViewsOptions) {
    this.#options = options;
  }

  get view(): View {
    return this.#file?.view ?? this.#live?.view ?? NOTHING;
  }

  /** A recording has begun; it is shown unless a file is. */
  began(recording: Recording): void {
    const { path, began } = recording.recorder;
    this.#live = { view: { id: ++this.#ids, source: 'live', path, began, repaired: undefined }, recording };
    if (!this.#file) this.#announce();
  }

  /** The running recording has been judged. */
  advanced(changed: Parameters<Feed['changed']>[0]): void {
    if (this.#file) return;
    this.#feed?.changed(changed);
    this.#send();
  }

  /**
   * Shows a trace file.
   * @throws Error in plain words when it cannot be opened; what was shown stays
   */
  async open(path: string): Promise<View> {
    const opened = await openTrace(path);
    await this.#leaveFile();
    const { header, repaired, trace } = opened;
    const view: View = { id: ++this.#ids, source: 'file', path: opened.path, began: header.began, repaired };
    this.#file = { view, opened, judge: this.#options.judge(trace) };
    this.#announce();
    this.#replay(this.#file);
    return view;
  }

  /** Goes back to the running recording. */
  async live(): Promise<View> {
    await this.#leaveFile();
    this.#announce();
    return this.view;
  }

  /** Somebody listens from now on, and is sent everything from the beginning. */
  hello(): void {
    this.#quiet = false;
    this.#show();
  }

  /** Nobody listens any more. */
  hush(): void {
    this.#quiet = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async bodies(view: number, seqs: readonly Seq[]): Promise<readonly FrameBody[]> {
    if (this.#file?.view.id === view) return this.#file.opened.bodies(seqs);
    if (this.#live?.view.id === view) return this.#live.recording.recorder.bodies(seqs);
    return [];
  }

  async #leaveFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.opened.close();
  }

  #announce(): void {
    if (!this.#quiet) this.#options.onView(this.view);
    this.#show();
  }

  /** Begins to send the view from frame 0, when what asked for it has been answered. */
  #show(): void {
    const { batch, verdicts } = this.#options;
    const { view } = this;
    const file = this.#file;
    const live = this.#live;
    if (file) {
      const { trace, end } = file.opened;
      this.#feed = feed({ view, trace, judge: file.judge, batch, verdicts, now: () => end });
    } else if (live) {
      const { recorder, judge, clock } = live.recording;
      this.#feed = feed({ view, trace: recorder.trace, judge, batch, verdicts, now: () => clock.now() });
    }
    setImmediate(() => this.#send());
  }

  #send(): void {
    if (this.#quiet || this.#timer) return;
    if (this.#feed?.send() ?? true) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, TICK_MS);
  }

  /** Lets time pass as it did when the file was recorded, slice by slice, for as long as the file is shown. */
  #replay(file: File): void {
    if (this.#file !== file) return;
    const { trace } = file.opened;
    const { folded } = file.judge.calls;
    if (folded === trace.length) return;
    const end = Math.min(folded + SLICE, trace.length);
    this.#feed?.changed(file.judge.advance(trace.t(end - 1), end));
    this.#send();
    setImmediate(() => this.#replay(file));
  }
}
