// Verdicts arrive as copies of their own, text by text and list by list; of ten thousand of them most say the same. What is
// equal is kept once: texts by a table, lanes by comparing with the last verdict of the same headline.
import { equal } from '../app/base/equal';
import type { Because, Headline, StopLane, Verdict } from '../app/verdict/verdict';

/** Gives back the same verdict with what it shares with others kept once. */
export type Share = (verdict: Verdict) => Verdict;

const NONE: readonly never[] = [];

export function sharing(): Share {
  const texts = new Map<string, string>();
  const last = new Map<Headline, Verdict>();

  const text = <T extends string | undefined>(given: T): T => {
    if (given === undefined) return given;
    const known = texts.get(given);
    if (known !== undefined) return known as T;
    texts.set(given, given);
    return given;
  };
  const same = <T>(given: T, other: T | undefined): T => (other !== undefined && equal(given, other) ? other : given);
  const list = <T>(items: readonly T[], each: (item: T) => T): readonly T[] => (items.length === 0 ? NONE : items.map(each));
  const because = ({ seq, says }: Because): Because => ({ seq, says: text(says) });
  /** A call that nobody stopped has its own frame to show for it, and nothing else of its own. */
  const stopOf = (stop: StopLane, other: StopLane | undefined): StopLane => {
    if (stop.state !== 'none') return same(stop, other);
    const { how, at, reason } = stop;
    const flags = same(stop.flags, other?.flags);
    return { state: text(stop.state), certainty: text(stop.certainty), how, at, reason, flags, because: list(stop.because, because) };
  };

  return (given) => {
    const { reply, effect } = given;
    const headline = text(given.verdict);
    const before = last.get(headline);
    const replyBecause = list(reply.because, because);
    // Every member is spelled out: an object made so is a third of the size of one that came through a port.
    const verdict: Verdict = {
      call: given.call,
      verdict: headline,
      severity: text(given.severity),
      certainty: text(given.certainty),
      sentence: text(given.sentence),
      because: equal(given.because, reply.because) ? replyBecause : list(given.because, because),
      also: same(list(given.also, text), before?.also),
      stop: stopOf(given.stop, before?.stop),
      reply: {
        state: text(reply.state),
        certainty: text(reply.certainty),
        because: replyBecause,
        at: reply.at,
        lateBy: reply.lateBy,
        code: reply.code,
        duplicate: reply.duplicate,
      },
      effect: same(
        {
          state: text(effect.state),
          certainty: text(effect.certainty),
          because: list(effect.because, because),
          observations: effect.observations.length === 0 ? NONE : effect.observations,
          worst: effect.worst,
          readFirst: text(effect.readFirst),
          probes: same(list(effect.probes, text), before?.effect.probes),
        },
        before?.effect,
      ),
      fence: same(given.fence, before?.fence),
      settled: given.settled,
      afterStop: same(given.afterStop, before?.afterStop),
      held: same(list(given.held, because), before?.held),
      faults: same(list(given.faults, because), before?.faults),
      callerSaw: text(given.callerSaw),
      ifRetried: text(given.ifRetried),
      normally: same(given.normally, before?.normally),
      history: given.history.map(({ at, verdict: then }) => ({ at, verdict: text(then) })),
    };
    last.set(headline, verdict);
    return verdict;
  };
}
