// Windsurf: `~/.codeium/windsurf/mcp_config.json`, where an address is a `serverUrl`.
import { pathsOf, tail } from './form';
import { windsurfHoles } from './holes';
import { jsonForm } from './json-form';
import { editorReference } from './outgoing';

export const windsurf = jsonForm({
  form: 'windsurf',
  named: (path) => tail(path, 1) === 'mcp_config.json',
  places: ({ home, platform }) => [pathsOf(platform).join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  shelves: () => [{ path: ['mcpServers'] }],
  holes: windsurfHoles,
  reference: editorReference,
  transports: { url: 'auto' },
  stdio: ({ command, args, env, disabled }) => ({ command, args, env, disabled }),
  http: ({ url, headers, disabled }) => ({ serverUrl: url, headers, disabled }),
  cwd: false,
  ignored: {},
});
