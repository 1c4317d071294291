// The bottom line: how much was captured, what it costs, how fast the window is, and where the trace is kept.
import { useSelect, useStopgap, useVersion } from '../../context';
import { sizeText } from '../dock/Traces';

/** Columns are allocated ahead; below this many frames a size for each would say nothing. */
const ENOUGH = 1024;

const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

export function Footer() {
  const { feed } = useStopgap();
  const view = useSelect((state) => state.view);
  const version = useSelect((state) => state.version);
  useVersion(500);
  const { length, bytes } = feed.trace;
  const p95 = feed.frames.p95();
  const cost = length >= ENOUGH ? `${Math.round(bytes / length)} B each` : `${sizeText(bytes)} held`;
  return (
    <footer className="footer">
      <span>
        {length.toLocaleString('en')} {length === 1 ? 'frame' : 'frames'}
      </span>
      <span title="Memory of the trace’s columns in this window; bodies stay in the trace file">{cost}</span>
      <span title="JavaScript of an animation frame, 95th percentile of the last 240">
        frame {p95 === undefined ? '—' : `${p95.toFixed(1)} ms p95`}
      </span>
      <span title="Frames that reached this window out of step and had to be asked for again">
        {feed.dropped.toLocaleString('en')} dropped
      </span>
      <span className="grow" />
      {view && (
        <span className="clip" title={view.path}>
          {view.source === 'file' ? 'read from' : 'trace saved to'} {fileName(view.path)}
        </span>
      )}
      {version && <span>Stopgap {version}</span>}
    </footer>
  );
}
