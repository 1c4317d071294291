// What the window looks at: the running recording, or a trace file that is replayed through the same folds and the same
// judge, a slice at a time, so that a long one neither blocks a running race nor floods the window. A long file is shown
// while it is being read; it is judged when all of it is there.
import type { Events, FrameBody, View } from '../../app/contract/host';
import type { Trace } from '../../app/trace/trace';
import type { Judge } from '../../app/verdict/judge';
import type { Seq } from '../../app/wire/frame';
import { readTrace, type TraceInReading } from '../store/replay';
import { type Feed, feed } from './feed';
import { type Recording, TICK_MS } from './recording';
import { type Found, search } from './search';
import { plain } from './why';

export interface ViewsOptions {
  readonly judge: (trace: Trace) => Judge;
  /** Called before the first batch of a view that nobody has been told of by an answer. */
  readonly onView: (view: View) => void;
  readonly batch: (event: Events['batch']) => void;
  readonly verdicts: (event: Events['verdicts']) => void;
  readonly reading: (event: Events['reading']) => void;
}

/** Before anything was recorded there is an empty view. */
const NOTHING: View = { id: 0, source: 'live', path: '', began: new Date(0).toISOString(), repaired: undefined };

interface File {
  readonly view: View;
  readonly opened: TraceInReading;
  readonly judge: Judge;
  /** Ends the reading. */
  readonly leave: AbortController;
  /** How the reading ended: what was left out, where something was; undefined while it goes on. */
  ended: { readonly repaired: string | undefined } | undefined;
  /** The window knows how it ended. */
  told: boolean;
}

/** So many frames are judged in one turn. */
const SLICE = 4096;
/** How often the window is told how far the reading is. */
const TELL_MS = 100;

export class Views {
  readonly #options: ViewsOptions;
  /** Numbers views; one that is shown again keeps its number. */
  #ids = 0;
  #live: { readonly view: View; readonly recording: Recording } | undefined;
  #file: File | undefined;
  #feed: Feed | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When it was told last, in ms. */
  #toldAt = Number.NEGATIVE_INFINITY;
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
   * Shows a trace file, from its first frames on; what is wrong with it further on is told by an event.
   * @throws Error in plain words when it cannot be opened; what was shown stays
   */
  async open(path: string): Promise<View> {
    const leave = new AbortController();
    const opened = await readTrace(path, { signal: leave.signal, progress: () => this.#sendSoon() });
    await this.#leaveFile();
    const { header, repaired, trace } = opened;
    const view: View = { id: ++this.#ids, source: 'file', path: opened.path, began: header.began, repaired };
    const file: File = { view, opened, judge: this.#options.judge(trace), leave, ended: undefined, told: false };
    this.#file = file;
    this.#announce();
    void opened.whole.then(
      () => this.#ended(file, opened.repaired),
      (error: unknown) => this.#ended(file, `${plain(error)} What stands before it is shown.`),
    );
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

  /** Looks for words from a frame on, for a moment; a view that is no longer shown has nothing. */
  async search(view: number, text: string, from: Seq): Promise<Found> {
    const file = this.#file?.view.id === view ? this.#file : undefined;
    const live = this.#live?.view.id === view ? this.#live.recording : undefined;
    const source = file?.opened ?? live?.recorder;
    const judge = file?.judge ?? live?.judge;
    if (!source || !judge) return { seqs: [], next: from };
    const { trace } = source;
    const { calls } = judge;
    return search({ trace, calls, verdict: (call) => judge.verdict(call), texts: (seqs) => source.texts(seqs) }, text, from);
  }

  async #leaveFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    file?.leave.abort();
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
      const { opened } = file;
      file.told = false;
      this.#feed = feed({ view, trace: opened.trace, judge: file.judge, batch, verdicts, now: () => opened.end });
    } else if (live) {
      const { recorder, judge, clock } = live.recording;
      this.#feed = feed({ view, trace: recorder.trace, judge, batch, verdicts, now: () => clock.now() });
    }
    setImmediate(() => this.#send());
  }

  #send(): void {
    if (this.#quiet || this.#timer) return;
    const all = this.#feed?.send() ?? true;
    if (this.#file) this.#tell(this.#file);
    if (!all) this.#sendSoon();
  }

  /** Frames gather for a moment, so that they go out in few batches. */
  #sendSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, TICK_MS);
  }

  /** Tells how far the reading is: of what has been sent, never of more. A file that came whole has nothing to tell. */
  #tell(file: File): void {
    const { view, opened, ended } = file;
    const frames = this.#feed?.frames ?? 0;
    const done = ended !== undefined && frames === opened.trace.length;
    if (file.told || (!done && performance.now() - this.#toldAt < TELL_MS)) return;
    file.told = done;
    this.#toldAt = performance.now();
    this.#options.reading({ view: view.id, frames, bytes: opened.read, size: opened.size, done, repaired: ended?.repaired });
  }

  /** Nothing more will be read of a file: what there is, is judged. */
  #ended(file: File, repaired: string | undefined): void {
    if (this.#file !== file) return;
    file.ended = { repaired };
    this.#replay(file);
  }

  /** Lets time pass as it did when the file was recorded, slice by slice, for as long as the file is shown. */
  #replay(file: File): void {
    if (this.#file !== file) return;
    const { trace } = file.opened;
    const { folded } = file.judge.calls;
    if (folded === trace.length) {
      this.#send();
      return;
    }
    const end = Math.min(folded + SLICE, trace.length);
    this.#feed?.changed(file.judge.advance(trace.t(end - 1), end));
    this.#send();
    setImmediate(() => this.#replay(file));
  }
}
