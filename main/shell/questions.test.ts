import { describe, expect, test } from 'vitest';
import { type HostQuestion, shellLink } from '../host/host-to-shell';
import { NoKeychain } from '../store/secrets';
import { answerHost, type Needs } from './questions';

/** A keychain that turns texts round. */
function needs(
  more: { available?: boolean; backend?: 'basic_text' | 'gnome_libsecret'; platform?: NodeJS.Platform } = {},
): Needs & { opened: string[] } {
  const turned = (text: string): string => [...text].reverse().join('');
  const opened: string[] = [];
  return {
    opened,
    platform: more.platform ?? 'linux',
    keychain: {
      isEncryptionAvailable: () => more.available ?? true,
      getSelectedStorageBackend: () => more.backend ?? 'gnome_libsecret',
      encryptString: (text) => Buffer.from(turned(text)),
      decryptString: (bytes) => turned(bytes.toString()),
    },
    async openExternal(address) {
      if (address.includes('none')) throw new Error('no browser was found');
      opened.push(address);
    },
  };
}

/** The host's end, joined to the shell's. */
function joined(shell: Needs): ReturnType<typeof shellLink> {
  const link = shellLink(
    (question: HostQuestion) => void answerHost(shell, structuredClone(question)).then((answer) => link.answered(answer)),
  );
  return link;
}

test('a text is sealed and opened again, whatever is asked meanwhile', async () => {
  const { cipher } = joined(needs());
  const [one, two] = await Promise.all([cipher.seal('größe'), cipher.seal('two')]);
  expect(Buffer.from(one, 'base64').toString()).toBe('eßörg');
  expect(await Promise.all([cipher.open(two), cipher.open(one)])).toEqual(['two', 'größe']);
});

describe('without a keychain', () => {
  test.each([
    ['there is none', needs({ available: false })],
    ['the desktop has none, so that Electron would use a password that everybody knows', needs({ backend: 'basic_text' })],
  ])('%s', async (_, shell) => {
    const { cipher } = joined(shell);
    await expect(cipher.seal('x')).rejects.toBeInstanceOf(NoKeychain);
    await expect(cipher.open('eA==')).rejects.toBeInstanceOf(NoKeychain);
  });

  test('the name of the backend counts on Linux only', async () => {
    await expect(joined(needs({ backend: 'basic_text', platform: 'darwin' })).cipher.seal('x')).resolves.toBe('eA==');
  });
});

test('the browser is sent to web pages only', async () => {
  const shell = needs();
  const { browse } = joined(shell);
  await browse('https://login.example/authorize?a=1');
  for (const address of ['file:///etc/passwd', 'javascript:alert(1)', 'smb://host/share', '-x', ''])
    await expect(browse(address)).rejects.toThrow(/http or https address/);
  await expect(browse('https://none.example/')).rejects.toThrow('no browser was found');
  expect(shell.opened).toEqual(['https://login.example/authorize?a=1']);
});

test('what is no question is refused, and never repeated', async () => {
  expect(await answerHost(needs(), { id: 1, ask: 'tell', text: 's3cret' })).toEqual({
    type: 'answer',
    id: 1,
    ok: false,
    error: expect.not.stringContaining('s3cret'),
    keychain: false,
  });
  for (const nothing of [undefined, 'seal', { id: -1 }, { id: '1' }]) expect(await answerHost(needs(), nothing)).toBeUndefined();
});
