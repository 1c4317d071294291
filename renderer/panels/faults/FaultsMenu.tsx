// The menu of faults: the ready ones, each with what it is for, one's own, and the way out.
import { Unplug } from 'lucide-react';
import { PRESET_NAMES, PRESETS, presetsIn, toggled } from '../../../app/scenario/faults';
import { useKeyText, useSelect, useStopgap } from '../../context';
import { Menu, MenuGroup, MenuItem, MenuLine } from '../../ui/Menu';
import './faults.css';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function FaultsMenu() {
  const { actions } = useStopgap();
  const { rules, heldCount } = useSelect(({ status }) => status.faults);
  const connected = useSelect(({ status, view }) => status.state === 'connected' && view?.source !== 'file');
  const key = useKeyText('fault.release');
  const on = presetsIn(rules);
  const label = rules.length === 0 ? 'Faults' : `Faults: ${rules.length} on`;
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="icon-button faults-button" data-on={rules.length > 0} aria-label={label} title={label}>
          <Unplug size={15} aria-hidden />
        </button>
      }
    >
      <MenuGroup label="Faults: disturb messages on purpose">
        {PRESET_NAMES.map((name) => (
          <MenuItem key={name} hint={PRESETS[name].says} disabled={!connected} onPress={() => void actions.setFaults(toggled(rules, name))}>
            {on.includes(name) ? '✓ ' : ''}
            {capital(PRESETS[name].title)}
          </MenuItem>
        ))}
      </MenuGroup>
      <MenuLine />
      <MenuItem disabled={!connected} onPress={() => actions.openDialog({ kind: 'fault' })}>
        Faults of your own…
      </MenuItem>
      <MenuItem disabled={heldCount === 0} keys={key} onPress={() => void actions.releaseFaults()}>
        Let go of what is held{heldCount === 0 ? '' : ` (${heldCount})`}
      </MenuItem>
      <MenuItem disabled={rules.length === 0} onPress={() => void actions.setFaults([])}>
        Turn all faults off
      </MenuItem>
    </Menu>
  );
}
