// Cursor: `mcp.json` of a person or of a project, in a folder `.cursor`.
import { pathsOf, tail } from './form';
import { editorHoles } from './holes';
import { jsonForm } from './json-form';
import { editorReference } from './outgoing';

export const cursor = jsonForm({
  form: 'cursor',
  named: (path) => tail(path, 2) === '.cursor/mcp.json',
  places: ({ home, platform, folders }) => [home, ...folders].map((folder) => pathsOf(platform).join(folder, '.cursor', 'mcp.json')),
  shelves: () => [{ path: ['mcpServers'] }],
  holes: editorHoles,
  reference: editorReference,
  // It finds out by itself which of the two a server speaks.
  transports: { url: 'auto', http: 'auto', 'streamable-http': 'auto' },
  stdio: ({ command, args, env }) => ({ command, args, env }),
  http: ({ url, headers }) => ({ url, headers }),
  cwd: false,
  ignored: { auth: 'the client that is registered for authorization is not taken over' },
});
