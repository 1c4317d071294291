// A file that is dropped anywhere on the window: a trace or a scenario is opened, anything else is looked at as a configuration.
// Without this a page would go to the file that was dropped on it.
import { useEffect, useState } from 'react';
import { EXTENSION } from '../../../app/wire/tracefile';
import { useStopgap } from '../../context';
import './configs.css';

const brings = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

export function DropTarget() {
  const { actions, shell } = useStopgap();
  const [over, setOver] = useState(false);
  useEffect(() => {
    const drag = (event: DragEvent): void => {
      if (!brings(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      // Leaving one element for another is not leaving the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!brings(event)) return;
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer?.files ?? [];
      const path = file === undefined ? '' : shell.pathOf(file);
      if (path === '') actions.say('warn', 'Expected a file that lies on this computer. Save it first, then drop it here.');
      else if (path.endsWith(EXTENSION)) void actions.openTrace(path);
      else if (/\.ya?ml$/i.test(path)) void actions.lab.openFile(path);
      else actions.openDialog({ kind: 'import', path });
    };
    window.addEventListener('dragover', drag);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', drag);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [actions, shell]);
  return over ? <div className="drop-here">Drop a configuration to import its servers, or a trace or a scenario to open it</div> : null;
}
