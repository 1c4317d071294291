// Where secrets are kept: values of servers' environments and headers, passwords of probes, what an authorization granted.
// On disk they stand sealed, one text for each key, in one file for this user's eyes only; whoever seals them is a port, since
// only Electron's main process reaches the system's keychain. Without a keychain they are kept until the program ends, and
// that is said.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { codeOf, keepAside, plain, replaceFile } from './disk';

export type SecretValues = Readonly<Record<string, string>>;

export interface Secrets {
  /** What is kept under a key; nothing where nothing is, or where it cannot be read any more. */
  get(key: string): Promise<SecretValues>;
  /** Keeps these in the place of what was kept under the key. Never rejects: what goes wrong is said as a trouble. */
  set(key: string, values: SecretValues): Promise<void>;
  forget(key: string): Promise<void>;
  /** `memory`: until the program ends. Whether there is a keychain is known once something was kept or read. */
  readonly kept: 'keychain' | 'memory';
  /** Hears, from now on and once each, what a person should know. What was said before comes at once. */
  onTrouble(listener: (says: string) => void): void;
}

/** Whoever can seal a text so that only this user on this computer can open it. */
export interface Cipher {
  /** @returns printable text @throws NoKeychain */
  seal(text: string): Promise<string>;
  /** @throws NoKeychain, or any error when the text cannot be opened here */
  open(sealed: string): Promise<string>;
}

/** The system offers no keychain, or one that would not protect anything. */
export class NoKeychain extends Error {
  override readonly name = 'NoKeychain';
}

/** Secrets that are gone when the program ends. */
export function memorySecrets(): Secrets {
  const values = new Map<string, SecretValues>();
  return {
    get: async (key) => values.get(key) ?? {},
    async set(key, given) {
      values.set(key, { ...given });
    },
    async forget(key) {
      values.delete(key);
    },
    kept: 'memory',
    onTrouble: () => undefined,
  };
}

const fileSchema = z.object({ version: z.literal(1), sealed: z.record(z.string(), z.string()) });
const valuesSchema = z.record(z.string(), z.string());

/**
 * Secrets in a file, sealed. The file is read, and the keychain asked, when a secret is needed for the first time.
 * @param file absolute path; its folder is made where it is missing
 */
export function sealedSecrets(file: string, cipher: Cipher): Secrets {
  return new SealedSecrets(file, cipher);
}

/** The keys are addresses and command lines, which are nobody's business in a file of secrets either. */
const nameOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

class SealedSecrets implements Secrets {
  readonly #file: string;
  readonly #cipher: Cipher;
  /** What has been opened or set in this run. */
  readonly #open = new Map<string, SecretValues>();
  #sealed: Promise<Map<string, string>> | undefined;
  /** One thing after the other: a file that two write at once keeps what one of them knew. */
  #turn: Promise<unknown> = Promise.resolve();
  #kept: Secrets['kept'] = 'keychain';
  readonly #said = new Set<string>();
  readonly #listeners: ((says: string) => void)[] = [];

  constructor(file: string, cipher: Cipher) {
    this.#file = file;
    this.#cipher = cipher;
  }

  get kept(): Secrets['kept'] {
    return this.#kept;
  }

  onTrouble(listener: (says: string) => void): void {
    this.#listeners.push(listener);
    for (const says of this.#said) listener(says);
  }

  get(key: string): Promise<SecretValues> {
    return this.#inTurn(async () => this.#open.get(key) ?? (await this.#opened(key)));
  }

  set(key: string, values: SecretValues): Promise<void> {
    if (Object.keys(values).length === 0) return this.forget(key);
    return this.#inTurn(async () => {
      this.#open.set(key, { ...values });
      try {
        const text = await this.#cipher.seal(JSON.stringify(values));
        (await this.#read()).set(nameOf(key), text);
        await this.#write();
      } catch (error) {
        this.#notKept(error);
      }
    });
  }

  forget(key: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#open.delete(key);
      const sealed = await this.#read();
      if (!sealed.delete(nameOf(key))) return;
      await this.#write().catch((error: unknown) => this.#notKept(error));
    });
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(task);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #opened(key: string): Promise<SecretValues> {
    const text = (await this.#read()).get(nameOf(key));
    if (text === undefined) return {};
    try {
      const values = valuesSchema.parse(JSON.parse(await this.#cipher.open(text)));
      this.#open.set(key, values);
      return values;
    } catch (error) {
      this.#notOpened(error);
      return {};
    }
  }

  /** The sealed text stays where it is: the keychain that it was sealed with may come back. */
  #notOpened(error: unknown): void {
    if (error instanceof NoKeychain) {
      this.#kept = 'memory';
      this.#say(
        `Secrets from earlier are in ${this.#file}, but the keychain of this system cannot be used now: ${error.message} Enter them again, or unlock the keychain and start Stopgap again.`,
      );
    } else
      this.#say(
        `Some secrets in ${this.#file} could not be read: they were sealed on another computer, for another user, or with a keychain that has changed. Enter them again; everything else is as it was.`,
      );
  }

  #notKept(error: unknown): void {
    if (error instanceof NoKeychain) {
      this.#kept = 'memory';
      this.#say(
        `Secrets are kept until Stopgap is closed, and not on disk: ${error.message} After the next start they have to be entered again.`,
      );
    } else this.#say(`Secrets could not be written to ${this.#file}: ${plain(error)} They hold until Stopgap is closed.`);
  }

  #say(says: string): void {
    if (this.#said.has(says)) return;
    this.#said.add(says);
    for (const listener of this.#listeners) listener(says);
  }

  #read(): Promise<Map<string, string>> {
    this.#sealed ??= this.#load();
    return this.#sealed;
  }

  async #load(): Promise<Map<string, string>> {
    let text: string;
    try {
      text = await readFile(this.#file, 'utf8');
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        this.#say(`The secrets in ${this.#file} could not be read: ${plain(error)} They have to be entered again.`);
      return new Map();
    }
    try {
      return new Map(Object.entries(fileSchema.parse(JSON.parse(text)).sealed));
    } catch {
      const aside = await keepAside(this.#file);
      this.#say(`The file of secrets ${this.#file} is not what it should be. They have to be entered again. ${aside}`);
      return new Map();
    }
  }

  async #write(): Promise<void> {
    const sealed = Object.fromEntries(await this.#read());
    await replaceFile(this.#file, `${JSON.stringify({ version: 1, sealed }, undefined, 2)}\n`);
  }
}

/** Kept apart under one server's key. */
export type SecretPart = 'server' | 'probes' | 'oauth';

/** The key of one part of what is kept for a server. @param key the server's (see `serverKey`) */
export const secretKey = (part: SecretPart, key: string): string => `${part} ${key}`;

const PARTS: readonly SecretPart[] = ['server', 'probes', 'oauth'];

/** Forgets everything that is kept for a server. */
export async function forgetServer(secrets: Secrets, key: string): Promise<void> {
  for (const part of PARTS) await secrets.forget(secretKey(part, key));
}
