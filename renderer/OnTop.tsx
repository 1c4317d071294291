// What opens on top of the window: dialogs and the palette. Nobody needs them to see the window, so they are a part of their
// own that is loaded when it stands, or as soon as one of them is wanted; from then on they open at once.
import { type ComponentType, useEffect, useState } from 'react';
import { useSelect } from './context';

const load = async (): Promise<ComponentType> => (await import('./panels/dialogs/OnTopParts')).OnTopParts;

/** @param ready the window can be used */
export function OnTop({ ready }: { readonly ready: boolean }) {
  const wanted = useSelect((state) => state.palette || state.dialog !== undefined);
  const [Parts, setParts] = useState<ComponentType>();
  const due = ready || wanted;
  useEffect(() => {
    if (due) void load().then((parts) => setParts(() => parts));
  }, [due]);
  return Parts ? <Parts /> : null;
}
