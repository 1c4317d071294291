// The host's questions to the shell: seal a secret, open one, send the browser somewhere. What of Electron is needed is
// handed in, so that the checks can be tested without it.
import type { SafeStorage, Shell } from 'electron';
import { type HostQuestion, hostQuestion, type ShellAnswer } from '../host/host-to-shell';
import { NoKeychain } from '../store/secrets';

export interface Needs {
  readonly keychain: Pick<SafeStorage, 'isEncryptionAvailable' | 'getSelectedStorageBackend' | 'encryptString' | 'decryptString'>;
  readonly openExternal: Shell['openExternal'];
  readonly platform: NodeJS.Platform;
}

/** Answers one question; never rejects. @param message whatever arrived @returns undefined when it was none */
export async function answerHost(needs: Needs, message: unknown): Promise<ShellAnswer | undefined> {
  const read = hostQuestion.safeParse(message);
  if (!read.success) return refusal(message);
  const { id } = read.data;
  try {
    return { type: 'answer', id, ok: true, text: await perform(needs, read.data) };
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    return { type: 'answer', id, ok: false, error: says, keychain: error instanceof NoKeychain };
  }
}

/** What is no question is still answered where it says who waits. Its text may be secret and is not repeated. */
function refusal(message: unknown): ShellAnswer | undefined {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined;
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0) return undefined;
  const error = 'Expected a text to seal or to open, or an http or https address to show in the browser.';
  return { type: 'answer', id, ok: false, error, keychain: false };
}

async function perform({ keychain, openExternal, platform }: Needs, question: HostQuestion): Promise<string> {
  if (question.ask === 'browse') {
    await openExternal(question.address);
    return '';
  }
  checkKeychain(keychain, platform);
  return question.ask === 'seal'
    ? keychain.encryptString(question.text).toString('base64')
    : keychain.decryptString(Buffer.from(question.text, 'base64'));
}

/** On Linux Electron falls back to a password that is in its own source code: that protects nothing. */
function checkKeychain(keychain: Needs['keychain'], platform: NodeJS.Platform): void {
  if (platform === 'linux' && keychain.getSelectedStorageBackend() === 'basic_text')
    throw new NoKeychain(
      'this desktop offers none of the keychains that can be used, which are GNOME Keyring (Secret Service) and KWallet.',
    );
  if (!keychain.isEncryptionAvailable()) throw new NoKeychain('the keychain of this system is not available.');
}
