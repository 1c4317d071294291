// What the host asks of the shell, because only Electron's main process can do it: the system's keychain, the system's
// browser. Each question has a number and one answer; both are checked where they arrive.
import { z } from 'zod';
import { type Cipher, NoKeychain } from '../store/secrets';

const id = z.number().int().nonnegative();

export const hostQuestion = z.discriminatedUnion('ask', [
  /** Seals a text for this user on this computer. */
  z.object({ id, ask: z.literal('seal'), text: z.string() }),
  /** Opens what was sealed. */
  z.object({ id, ask: z.literal('open'), text: z.string() }),
  /** Opens a page in the system's browser. */
  z.object({ id, ask: z.literal('browse'), address: z.url({ protocol: /^https?$/ }) }),
]);
export type HostQuestion = z.infer<typeof hostQuestion>;

export const shellAnswer = z.discriminatedUnion('ok', [
  z.object({ type: z.literal('answer'), id, ok: z.literal(true), text: z.string() }),
  /** `keychain`: that there is none is why. */
  z.object({ type: z.literal('answer'), id, ok: z.literal(false), error: z.string(), keychain: z.boolean() }),
]);
export type ShellAnswer = z.infer<typeof shellAnswer>;

/** The shell, as the host sees it. */
export interface ShellLink {
  readonly cipher: Cipher;
  /** Opens a page in the system's browser. @throws Error in plain words when that did not work */
  browse(address: string): Promise<void>;
  /** To be handed every answer. */
  answered(message: unknown): void;
}

/** A question without its number. */
type Question = HostQuestion extends infer Q ? (Q extends HostQuestion ? Omit<Q, 'id'> : never) : never;

/** @param post sends to the shell */
export function shellLink(post: (question: HostQuestion) => void): ShellLink {
  const waiting = new Map<number, { readonly resolve: (text: string) => void; readonly reject: (error: Error) => void }>();
  let asked = 0;
  const ask = (question: Question): Promise<string> =>
    new Promise((resolve, reject) => {
      const number = ++asked;
      waiting.set(number, { resolve, reject });
      post({ ...question, id: number });
    });
  return {
    cipher: {
      seal: (text) => ask({ ask: 'seal', text }),
      open: (text) => ask({ ask: 'open', text }),
    },
    browse: async (address) => void (await ask({ ask: 'browse', address })),
    answered(message) {
      const answer = shellAnswer.parse(message);
      const asker = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (answer.ok) asker?.resolve(answer.text);
      else asker?.reject(answer.keychain ? new NoKeychain(answer.error) : new Error(answer.error));
    },
  };
}
