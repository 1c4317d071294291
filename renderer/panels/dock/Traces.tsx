// Where the traces lie, how large they are, and how to open one.
import { useCallback, useEffect, useState } from 'react';
import type { Results, TraceFile } from '../../../app/contract/host';
import { useSelect, useStopgap } from '../../context';

/** Bytes as people read them. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

function Row({ file }: { readonly file: TraceFile }) {
  const { actions } = useStopgap();
  return (
    <tr>
      <td className="selectable">
        {file.name}
        {file.current && <span className="tag">recording</span>}
      </td>
      <td className="mono number">{sizeText(file.bytes)}</td>
      <td className="soft written">{new Date(file.modified).toLocaleString()}</td>
      <td className="row-actions">
        {!file.current && (
          <button type="button" className="button small" onClick={() => void actions.openTrace(file.path)}>
            Open
          </button>
        )}
        <button type="button" className="button small" onClick={() => void actions.showTrace(file.path)}>
          Show in folder
        </button>
      </td>
    </tr>
  );
}

export function Traces() {
  const { actions } = useStopgap();
  const [list, setList] = useState<Results['trace.list'] | undefined>(undefined);
  const view = useSelect((state) => state.view?.id);
  const linked = useSelect((state) => state.link.state === 'ready');
  const load = useCallback(async () => {
    const answer = await actions.ask('trace.list', {});
    if (answer) setList(answer);
  }, [actions]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view means another list
  useEffect(() => {
    if (linked) void load();
  }, [linked, view, load]);
  return (
    <div className="traces">
      <div className="row traces-head">
        <p className="soft grow clip selectable">
          {list
            ? `${list.files.length} ${list.files.length === 1 ? 'trace' : 'traces'}, ${sizeText(list.bytes)}, in ${list.folder}`
            : 'Looking…'}
        </p>
        <button type="button" className="button small" onClick={() => void load()}>
          Look again
        </button>
        <button type="button" className="button small" onClick={() => void actions.openTrace()}>
          Open trace file…
        </button>
      </div>
      <table className="plain-table">
        <thead className="visually-hidden">
          <tr>
            <th>Trace</th>
            <th>Size</th>
            <th className="written">Written</th>
            <th>Actions</th>
          </tr>
        </thead>
        <tbody>
          {list?.files.map((file) => (
            <Row key={file.path} file={file} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
