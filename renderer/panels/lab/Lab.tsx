// The race laboratory: the gallery and the person's own files, the scenario that is open, the sweep that ran last. With YAML
// and an editor behind it, it is loaded when somebody goes there.
import { lazy, Suspense } from 'react';

const Pages = lazy(() => import('./Pages'));

export function Lab() {
  return (
    <aside className="side lab" aria-label="Scenarios">
      <Suspense fallback={<p className="list-empty">Opening the laboratory…</p>}>
        <Pages />
      </Suspense>
    </aside>
  );
}
