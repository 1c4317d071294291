// How a call is stopped, as one word: on the command line and in reports. `timeout:silent` and `cancel-id:99` carry what
// the word alone does not say; an id in quotes is a text.
import { unreachable } from '../base/unreachable';
import type { Means, RequestId } from '../wire/frame';

/** The words, as help and errors list them. */
export const MEANS_WORDS = [
  'cancel',
  'abandon',
  'timeout',
  'timeout:silent',
  'drop',
  'kill',
  'notify',
  'stop-polling',
  'cancel-id:99',
  'cancel-id:"5"',
] as const;

export function meansWord(how: Means): string {
  switch (how.means) {
    case 'timeout':
      return how.silent ? 'timeout:silent' : 'timeout';
    case 'cancel-id':
      return `cancel-id:${JSON.stringify(how.id)}`;
    case 'cancel':
    case 'abandon':
    case 'drop':
    case 'kill':
    case 'notify':
    case 'stop-polling':
      return how.means;
    default:
      return unreachable(how);
  }
}

/** The inverse of {@link meansWord}. @returns undefined for a word that is none of them */
export function meansOf(word: string): Means | undefined {
  switch (word) {
    case 'cancel':
    case 'abandon':
    case 'drop':
    case 'kill':
    case 'notify':
    case 'stop-polling':
      return { means: word };
    case 'timeout':
      return { means: 'timeout', silent: false };
    case 'timeout:silent':
      return { means: 'timeout', silent: true };
    default: {
      const id = word.startsWith('cancel-id:') ? idOf(word.slice('cancel-id:'.length)) : undefined;
      return id === undefined ? undefined : { means: 'cancel-id', id };
    }
  }
}

/** A number is a number, a text in quotes is that text, anything else is a text as it stands. */
function idOf(word: string): RequestId | undefined {
  if (word === '') return undefined;
  try {
    const value: unknown = JSON.parse(word);
    if (typeof value === 'number' || typeof value === 'string') return value;
  } catch {
    return word;
  }
  return word;
}
