// The roots that servers are told of when they ask.
import { FolderPlus, X } from 'lucide-react';
import { useState } from 'react';
import type { Root } from '../../../app/contract/host';
import { useSelect, useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';

/** A folder's path as a file:// address, on every platform. */
export function addressOf(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  const absolute = slashed.startsWith('/') ? slashed : `/${slashed}`;
  return `file://${absolute
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^\/([A-Za-z])%3A/, '/$1:')}`;
}

export function RootsDialog() {
  const { actions } = useStopgap();
  const known = useSelect((state) => state.settings.roots);
  const [roots, setRoots] = useState<readonly Root[]>(known);
  const wrong = roots.find(({ uri }) => !uri.startsWith('file://'));
  const set = (at: number, part: Partial<Root>): void => setRoots(roots.map((root, i) => (i === at ? { ...root, ...part } : root)));
  const add = async (): Promise<void> => {
    const folder = await actions.chooseFolder('A root for the server');
    if (folder !== undefined) setRoots((now) => [...now, { uri: addressOf(folder) }]);
  };
  const save = async (): Promise<void> => {
    const answer = await actions.ask('server.roots', { roots: roots.map((root) => ({ ...root })) });
    if (answer) actions.closeDialog();
  };
  return (
    <Dialog
      title="Roots"
      description="Folders that a server may work in, told to it when it asks for roots/list. A connected server is notified of the change."
      onClose={actions.closeDialog}
    >
      <div className="stack">
        {roots.length === 0 && <p className="hint">No roots: a server that asks is given an empty list.</p>}
        {roots.map((root, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity while they are typed
          <div key={i} className="row">
            <input
              className="field mono"
              aria-label={`Address of root ${i + 1}`}
              value={root.uri}
              spellCheck={false}
              aria-invalid={!root.uri.startsWith('file://')}
              onChange={(event) => set(i, { uri: event.target.value })}
            />
            <input
              className="field"
              aria-label={`Name of root ${i + 1}`}
              value={root.name ?? ''}
              placeholder="name"
              onChange={(event) => set(i, { name: event.target.value })}
            />
            <button
              type="button"
              className="icon-button quiet"
              aria-label={`Remove root ${i + 1}`}
              onClick={() => setRoots(roots.filter((_, at) => at !== i))}
            >
              <X size={14} aria-hidden />
            </button>
          </div>
        ))}
        {wrong && <p className="error">Expected an address that begins with file://, got “{wrong.uri}”.</p>}
        <div className="row">
          <button type="button" className="button" onClick={() => void add()}>
            <FolderPlus size={14} aria-hidden /> Add a folder…
          </button>
          <button type="button" className="button quiet" onClick={() => setRoots([...roots, { uri: 'file:///' }])}>
            Type an address
          </button>
        </div>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={actions.closeDialog}>
            Cancel
          </button>
          <button type="button" className="button go" disabled={wrong !== undefined} onClick={() => void save()}>
            Save
          </button>
        </div>
      </div>
    </Dialog>
  );
}
