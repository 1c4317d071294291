// What a reading of a probe found, in words: for a person who has pressed "Verify now" and waits for an answer.
import type { ProbeStatus } from '../../app/contract/host';
import type { Watch } from '../../app/evidence/world';
import type { Effect } from '../../app/wire/frame';

export interface Found {
  readonly status: Pick<ProbeStatus, 'spec' | 'state' | 'why'>;
  /** What the probe has said since the reading was asked for, in order. */
  readonly effects: readonly Effect[];
  /** The reading is over. */
  readonly read: boolean;
  /** Everything that the probe has said since its baseline. */
  readonly watch: Watch | undefined;
}

/** So many observations are quoted. */
const QUOTED = 3;

/** One sentence about one probe: `ledger: nothing new since the baseline`. */
export const foundBy = (found: Found): string => `${found.status.spec.name}: ${what(found)}`;

function what({ status, effects, read, watch }: Found): string {
  if (status.state === 'failed') return `it cannot watch (${status.why ?? 'nobody knows why'})`;
  if (status.state === 'off') return 'it is still being started';
  const seen = effects.flatMap(news);
  const gap = effects.findLast((one) => one.effect === 'gap');
  if (seen.length > 0) return quoted(seen);
  if (gap) return `it could not read the place (${gap.why})`;
  if (!read) return 'no answer yet';
  if (status.spec.kind === 'otel') return 'no span has come meanwhile, which proves nothing: spans are sent late';
  if (!effects.some(({ effect }) => effect === 'clear')) return 'it cannot say yet';
  const standing = watch?.seen.findLast((one) => one.reverted === undefined);
  if (standing) return `nothing new; still there: ${standing.says}`;
  return watch?.seen.length ? 'nothing new; what had been seen was taken back' : 'nothing new since the baseline';
}

/** What an effect tells that was not known before. */
function news(effect: Effect): readonly string[] {
  if (effect.effect === 'reverted') return [`taken back: ${effect.says}`];
  return effect.effect === 'seen' || effect.effect === 'work' || effect.effect === 'held' ? [effect.says] : [];
}

const quoted = (texts: readonly string[]): string =>
  [...texts.slice(0, QUOTED), ...(texts.length > QUOTED ? [`and ${texts.length - QUOTED} more`] : [])].join('; ');
