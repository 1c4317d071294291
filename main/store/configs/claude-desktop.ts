// Claude Desktop: `claude_desktop_config.json`. It starts programs only, and fills nothing in.
import { applicationData, pathsOf, tail } from './form';
import { noHoles } from './holes';
import { jsonForm } from './json-form';

export const claudeDesktop = jsonForm({
  form: 'claude-desktop',
  named: (path) => tail(path, 1) === 'claude_desktop_config.json',
  places: (where) => [pathsOf(where.platform).join(applicationData(where), 'Claude', 'claude_desktop_config.json')],
  shelves: () => [{ path: ['mcpServers'] }],
  holes: noHoles,
  reference: undefined,
  transports: { url: 'auto' },
  stdio: ({ command, args, env }) => ({ command, args, env }),
  http: undefined,
  cwd: false,
  ignored: {},
});
