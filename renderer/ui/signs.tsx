// Signs that are the same everywhere in the window: severity by shape, tools by letter. Colour only repeats them.
import type { Severity } from '../../app/verdict/verdict';
import { type Sign, signOf } from '../filter';
import { BADGE_WORDS, type Badge } from '../tools';
import './ui.css';

export const SIGN_SHAPES: Readonly<Record<Sign, string>> = { quiet: '·', note: 'i', warn: '△', breach: '◆' };
export const SIGN_WORDS: Readonly<Record<Sign, string>> = { quiet: 'ok or plain news', note: 'note', warn: 'warning', breach: 'breach' };

/** The shape of a severity, with its word for those who cannot see it. */
export function SeveritySign({ severity }: { readonly severity: Severity }) {
  const sign = signOf(severity);
  return (
    <span className="sign" data-sign={sign} role="img" aria-label={SIGN_WORDS[sign]}>
      {SIGN_SHAPES[sign]}
    </span>
  );
}

export function ToolBadge({ badge }: { readonly badge: Badge }) {
  return (
    <span className="badge" data-badge={badge} role="img" aria-label={BADGE_WORDS[badge]} title={BADGE_WORDS[badge]}>
      {badge}
    </span>
  );
}

export const Kbd = ({ keys }: { readonly keys: string | undefined }) => (keys ? <kbd aria-hidden>{keys}</kbd> : null);
