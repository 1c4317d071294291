// Lines that stay for a while: what a press did, what the host refused and why, what a person should know.
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { useSelect, useStopgap } from '../../context';
import type { Toast } from '../../store/state';

/** Long enough to be read; errors stay until they are put away. */
const lifetime = ({ level, text }: Toast): number | undefined => (level === 'error' ? undefined : 4000 + text.length * 40);

function Line({ toast }: { readonly toast: Toast }) {
  const { store } = useStopgap();
  useEffect(() => {
    const ms = lifetime(toast);
    if (ms === undefined) return undefined;
    const timer = setTimeout(() => store.setState(({ toasts }) => ({ toasts: toasts.filter(({ id }) => id !== toast.id) })), ms);
    return () => clearTimeout(timer);
  }, [store, toast]);
  return (
    <div className="toast selectable" data-level={toast.level} role={toast.level === 'error' ? 'alert' : 'status'}>
      <p className="grow">{toast.text}</p>
      <button
        type="button"
        className="icon-button quiet toast-close"
        aria-label="Put away"
        onClick={() => store.setState(({ toasts }) => ({ toasts: toasts.filter(({ id }) => id !== toast.id) }))}
      >
        <X size={14} aria-hidden />
      </button>
    </div>
  );
}

export function Toasts() {
  const toasts = useSelect((state) => state.toasts);
  return (
    <div className="toasts">
      {toasts.map((toast) => (
        <Line key={toast.id} toast={toast} />
      ))}
    </div>
  );
}
