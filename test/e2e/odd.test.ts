// Servers that misbehave: each has its own clear picture, and what was received before stays readable.
import { afterEach, expect, test } from 'vitest';
import { fixture } from '../fixtures/fixtures';
import { cleanUp, launch, PATIENCE_MS, PATIENT } from './app';
import { lives, messages } from './trace';
import { driver } from './window';

afterEach(cleanUp);

test('a server that logs to stdout: connected, every line kept and named as noise', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.connect(fixture('prints-logs'));
  await window.choose('talk');
  await window.call();
  await window.verdict('completed');
  await expect.poll(() => app.frames().filter(({ kind }) => kind === 'noise').length, PATIENT).toBeGreaterThan(3);
  await window.show('Wire');
  await window.wire.getByText('noise: not JSON').first().waitFor();
  await window.wire.getByText('[info] two').waitFor();
  await window.show('Findings');
  await window.findings
    .getByText(/stdout/)
    .first()
    .waitFor();
  await app.close();
});

test('a server that dies in mid-call with code 7: the call is lost, the code is named, its last words are there', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.connect(fixture('dies-in-call'));
  await window.choose('work');
  await window.call();
  await window.verdict('lost');
  expect(await window.state('reply')).toBe('lost');
  expect(await window.certainty()).toBe('unknown');
  await app.page
    .getByText(/code 7/)
    .first()
    .waitFor();
  await window.show('stderr');
  await window.stderr.getByText('work: fatal: out of paper').waitFor();
  await window.show('Wire');
  await window.wire.getByText('notifications/progress').first().waitFor();
  expect(lives(app.frames())).toContainEqual({ event: 'exited', code: 7, asked: 'nobody' });
  expect(messages(app.frames(), 's2c').filter(({ method }) => method === 'notifications/progress')).toHaveLength(3);
  await app.close();
});

test('a server that never answers: it is being waited for, what it printed is there, and it can be let go', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.connect(fixture('never-answers'));
  await window.server('starting');
  await app.page
    .getByText(/initialize/)
    .first()
    .waitFor();
  await window.show('stderr');
  await window.stderr.getByText('never-answers: started').waitFor();
  await window.disconnect();
  await window.server('no server');
  await app.close();
});

test('a program that is not an MCP server at all: said so, with what it said', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.connect(fixture('not-mcp'));
  await window.wire.getByText('noise: not JSON').first().waitFor();
  // It stays and talks, so it has all the time that a slow server has.
  await app.page
    .getByText(/Expected an answer to initialize within .* none came.*HTTP\/1.1 400 Bad Request/)
    .first()
    .waitFor({ timeout: 2 * PATIENCE_MS });
  await window.server('did not connect');

  await window.connect(fixture('not-mcp-exits'));
  await app.page
    .getByText(/Expected an answer to initialize, but the process ended with exit code/)
    .first()
    .waitFor();
  await window.server('did not connect');
  await app.close();
});
