// Which page of the laboratory is shown.
import { unreachable } from '../../../app/base/unreachable';
import { useSelect } from '../../context';
import { Gallery } from './Gallery';
import { ScenarioPage } from './ScenarioPage';
import { SweepPage } from './SweepPage';

export default function Pages() {
  const page = useSelect((state) => state.labPage);
  const open = useSelect((state) => state.scenario !== undefined);
  const swept = useSelect((state) => state.lab?.kind === 'sweep');
  switch (page) {
    case 'gallery':
      return <Gallery />;
    case 'scenario':
      return open ? <ScenarioPage /> : <Gallery />;
    case 'sweep':
      return swept ? <SweepPage /> : <Gallery />;
    default:
      return unreachable(page);
  }
}
