// The timeline's own controls: scale, what times count from, rows, filter, ruler, legend, copying. What changes on every
// frame is not in here.
import { Copy, Filter, ListTree, Rows3, Ruler as RulerIcon, Timer } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { GROUPINGS, type Grouping } from '../../app/layout/lanes';
import { Check } from '../ui/Check';
import { Menu, MenuChoice, MenuItem } from '../ui/Menu';
import { Popover } from '../ui/Popover';
import { FACETS, type Facet, isFiltering, NO_FACETS, toggled, valuesOf } from './facets';
import { Legend } from './Legend';
import type { TimelineModel } from './model';
import { measured } from './overlay';
import type { TimelineController } from './TimelineController';
import { TIMES, type Times, useView } from './view';

interface ToolbarProps {
  readonly controller: TimelineController;
  readonly model: TimelineModel;
  readonly keyText: KeyText;
}

/** A command's key as people read it, by the command's id; undefined when it has none. */
export type KeyText = (command: string) => string | undefined;

/** What a control does, and the key that does the same. */
export const titled = (title: string, key: string | undefined): string => (key === undefined ? title : `${title}  ${key}`);

const TIME_WORDS: Readonly<Record<Times, string>> = { relative: 'Since the start', wall: 'Time of day', call: 'Since the call' };
const GROUPING_WORDS: Readonly<Record<Grouping | 'auto', string>> = {
  auto: 'By itself: packed once there are many calls',
  call: 'A row for each call',
  server: 'Packed, by server session',
  tool: 'Packed, by tool',
  direction: 'Packed, by direction',
};
const GROUPING_NAMES: Readonly<Record<Grouping | 'auto', string>> = {
  auto: 'Rows',
  call: 'By call',
  server: 'By server',
  tool: 'By tool',
  direction: 'By direction',
};

/** Rendered again only when something in it has changed: whoever holds it is rendered while the trace grows. */
export const Toolbar = memo(function Toolbar({ controller, model, keyText }: ToolbarProps) {
  const { view } = controller;
  const scale = useView(view, (viewport) => viewport.scale);
  const times = useView(view, (viewport) => viewport.times);
  const grouping = useView(view, (viewport) => viewport.grouping);
  const ruler = useView(view, (viewport) => viewport.ruler);
  return (
    <div className="timeline-bar" role="toolbar" aria-label="Timeline">
      <fieldset className="timeline-scales" aria-label="Scale">
        <Choice
          on={scale === 'clock'}
          title={titled('Linear time', keyText('scale'))}
          onPress={() => scale !== 'clock' && controller.toggleScale()}
        >
          Clock
        </Choice>
        <Choice
          on={scale === 'order'}
          title={titled('Every frame of a row gets room', keyText('scale'))}
          onPress={() => scale !== 'order' && controller.toggleScale()}
        >
          Order
        </Choice>
      </fieldset>
      <Menu
        trigger={<Tool title={titled('What times count from', keyText('times'))} icon={<Timer size={13} />} label={TIME_WORDS[times]} />}
      >
        <MenuChoice
          label="Times"
          value={times}
          choices={TIMES.map((value) => ({ value, label: TIME_WORDS[value] }))}
          onChoose={(value) => view.set({ times: value })}
        />
      </Menu>
      <Menu trigger={<Tool title="What has rows of its own" icon={<Rows3 size={13} />} label={GROUPING_NAMES[grouping]} />}>
        <MenuChoice
          label="Rows"
          value={grouping}
          choices={(['auto', ...GROUPINGS] as const).map((value) => ({ value, label: GROUPING_WORDS[value] }))}
          onChoose={(value) => view.set({ grouping: value })}
        />
      </Menu>
      <FilterButton controller={controller} model={model} />
      <Tool
        title={titled('Measure between two marks', keyText('measure'))}
        icon={<RulerIcon size={13} />}
        label="Measure"
        pressed={ruler !== undefined}
        onPress={controller.toggleRuler}
      />
      <output className="timeline-measured">{ruler ? measured(ruler) : ''}</output>
      <Popover title="What the marks mean" trigger={<Tool title="What the marks mean" icon={<ListTree size={13} />} label="Legend" />}>
        {() => <Legend />}
      </Popover>
      <Menu align="end" trigger={<Tool title="Copy what is to be seen" icon={<Copy size={13} />} label="Copy" />}>
        <MenuItem onPress={() => controller.copyPicture('png')} hint="At twice the size, for reports and chats">
          Copy as picture (PNG)
        </MenuItem>
        <MenuItem onPress={() => controller.copyPicture('svg')} hint="A drawing whose text is text, for slides">
          Copy as drawing (SVG)
        </MenuItem>
      </Menu>
    </div>
  );
});

interface ChoiceProps {
  readonly on: boolean;
  readonly title: string;
  readonly onPress: () => void;
  readonly children: ReactNode;
}

function Choice({ on, title, onPress, children }: ChoiceProps) {
  return (
    <button type="button" aria-pressed={on} title={title} onClick={onPress}>
      {children}
    </button>
  );
}

interface ToolProps extends React.ComponentProps<'button'> {
  readonly icon: ReactNode;
  readonly label: string;
  readonly pressed?: boolean;
  readonly onPress?: () => void;
}

/** An icon with a word; the word goes where there is no room. */
function Tool({ icon, label, pressed, onPress, title, ...others }: ToolProps) {
  return (
    <button
      type="button"
      className="timeline-tool"
      title={title}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      {...(onPress ? { onClick: onPress } : {})}
      {...others}
    >
      {icon}
      <span>{label}</span>
    </button>
  );
}

const FACET_WORDS: Readonly<Record<Facet, string>> = {
  tool: 'Tools',
  method: 'Methods',
  server: 'Servers',
  direction: 'Direction',
  verdict: 'Verdicts',
};

function FilterButton({ controller, model }: { readonly controller: TimelineController; readonly model: TimelineModel }) {
  const { view } = controller;
  const facets = useView(view, (viewport) => viewport.facets);
  const filtered = useView(view, (viewport) => viewport.filtered);
  const on = isFiltering(facets);
  return (
    <Popover
      title="Show on the timeline"
      trigger={<Tool title="Filter by tool, method, server, direction, verdict" icon={<Filter size={13} />} label="Filter" pressed={on} />}
    >
      {() => (
        <div className="timeline-facets">
          <Check className="facet" checked={filtered === 'hide'} onChange={(hide) => view.set({ filtered: hide ? 'hide' : 'dim' })}>
            Hide the others instead of dimming them
          </Check>
          {FACETS.map((facet) => (
            <fieldset key={facet}>
              <legend>{FACET_WORDS[facet]}</legend>
              {valuesOf(facet, model).map(([value, calls]) => (
                <Check
                  key={value}
                  className="facet"
                  checked={!facets[facet].has(value)}
                  onChange={() => view.set({ facets: toggled(facets, facet, value) })}
                >
                  <span title={value}>{value}</span>
                  <small>{calls}</small>
                </Check>
              ))}
            </fieldset>
          ))}
          <footer>
            <button type="button" className="button" disabled={!on} onClick={() => view.set({ facets: NO_FACETS })}>
              Show everything
            </button>
          </footer>
        </div>
      )}
    </Popover>
  );
}
