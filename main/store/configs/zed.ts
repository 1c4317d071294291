// Zed: `context_servers` in its settings, JSON with comments. It fills nothing in. Servers that come with an extension have
// no command in the settings, and cannot be started from here.
import { applicationData, configFolder, pathsOf, tail, type Where } from './form';
import { noHoles } from './holes';
import { jsonForm } from './json-form';
import { isTable } from './text';

export const zed = jsonForm({
  form: 'zed',
  named: (path) => ['zed/settings.json', 'Zed/settings.json', '.zed/settings.json'].includes(tail(path, 2)),
  places: (where) => {
    const { join } = pathsOf(where.platform);
    return [join(settingsFolder(where), 'settings.json'), ...where.folders.map((folder) => join(folder, '.zed', 'settings.json'))];
  },
  shelves: () => [{ path: ['context_servers'] }],
  holes: noHoles,
  reference: undefined,
  transports: { url: 'http' },
  stdio: ({ command, args, env, disabled }) => ({ command, args, env, enabled: disabled && false }),
  http: ({ url, headers, disabled }) => ({ url, headers, enabled: disabled && false }),
  cwd: false,
  ignored: {
    settings: 'only the extension that this server comes with knows its command',
    remote: 'the editor may run this server on another machine; here it runs on this one',
  },
  modern,
});

/** On a Mac too, Zed's settings lie in `~/.config`. */
const settingsFolder = (where: Where): string =>
  where.platform === 'win32'
    ? pathsOf(where.platform).join(applicationData(where), 'Zed')
    : pathsOf(where.platform).join(configFolder(where), 'zed');

/** Before 2025 a command was an object of its own: `{ path, args, env }`. */
function modern(entry: unknown): unknown {
  if (!isTable(entry) || !isTable(entry['command'])) return entry;
  const { path, args, env } = entry['command'];
  return { ...entry, command: path, args, env };
}
