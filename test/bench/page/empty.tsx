// The page of the empty window: one element, and the mark that says when it could be seen.
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';

function Empty() {
  useEffect(() => {
    requestAnimationFrame(() => performance.mark('usable'));
  }, []);
  return <p>Nothing here.</p>;
}

const root = document.getElementById('root');
if (!root) throw new Error('no #root');
createRoot(root).render(<Empty />);
