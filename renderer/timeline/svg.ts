// The other end of the port: the same commands as a drawing that can be scaled, for bug reports and slides. Text stays
// text; colours are those of the theme; hatches are patterns, clips are clips.
import type { Theme } from '../theme/theme';
import type { Box, Command } from './draw';

/**
 * Commands as an SVG document.
 * @param size in CSS pixels
 * @param title what the picture shows, for those who do not see it
 */
export function svgOf(
  commands: readonly Command[],
  theme: Theme,
  { width, height }: { readonly width: number; readonly height: number },
  title: string,
): string {
  const paper: Paper = { theme, defs: [], ids: new Map(), open: 0 };
  const body = commands.map((command) => element(command, paper));
  // A list that ends inside of a clip still makes a whole document.
  const ends = '</g>'.repeat(paper.open);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<defs>${paper.defs.join('')}</defs>`,
    ...body,
    `${ends}</svg>`,
  ].join('\n');
}

interface Paper {
  readonly theme: Theme;
  readonly defs: string[];
  /** Ids of what is defined already, by what defines it. */
  readonly ids: Map<string, string>;
  /** Clips entered and not left. */
  open: number;
}

function element(command: Command, paper: Paper): string {
  const colour = (name: keyof Theme['colours']): string => paper.theme.colours[name];
  switch (command.draw) {
    case 'clip':
      paper.open++;
      return `<g clip-path="url(#${defined(paper, `<clipPath id="@"><rect${box(command)}/></clipPath>`)})">`;
    case 'unclip':
      if (paper.open === 0) return '';
      paper.open--;
      return '</g>';
    case 'rect':
      return `<rect${box(command)}${command.radius ? ` rx="${round(command.radius)}"` : ''} fill="${colour(command.fill)}"${alpha(command.alpha)}/>`;
    case 'rects':
      return `<path d="${rectsPath(command.boxes)}" fill="${colour(command.fill)}"${alpha(command.alpha)}/>`;
    case 'frame': {
      const half = command.width / 2;
      const inner = {
        x: command.x + half,
        y: command.y + half,
        w: Math.max(0, command.w - 2 * half),
        h: Math.max(0, command.h - 2 * half),
      };
      const rx = command.radius ? ` rx="${round(command.radius)}"` : '';
      return `<rect${box(inner)}${rx} fill="none"${stroke(colour(command.stroke), command.width, undefined)}${alpha(command.alpha)}/>`;
    }
    case 'line': {
      const { x1, y1, x2, y2 } = command;
      const ends = ` x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`;
      return `<line${ends}${stroke(colour(command.stroke), command.width, command.dash)}${alpha(command.alpha)}/>`;
    }
    case 'shape': {
      const tag = command.closed ? 'polygon' : 'polyline';
      const fill = ` fill="${command.fill ? colour(command.fill) : 'none'}"`;
      const line = command.stroke ? stroke(colour(command.stroke), command.width ?? 1, command.dash) : '';
      return `<${tag} points="${command.points.map(round).join(' ')}"${fill}${line}${alpha(command.alpha)}/>`;
    }
    case 'circle': {
      const at = ` cx="${round(command.x)}" cy="${round(command.y)}" r="${round(command.r)}"`;
      const fill = ` fill="${command.fill ? colour(command.fill) : 'none'}"`;
      const line = command.stroke ? stroke(colour(command.stroke), command.width ?? 1, undefined) : '';
      return `<circle${at}${fill}${line}${alpha(command.alpha)}/>`;
    }
    case 'hatch':
      return hatch(command, paper);
    case 'text': {
      const anchor = { left: '', center: ' text-anchor="middle"', right: ' text-anchor="end"' }[command.align ?? 'left'];
      const style = ` style="font:${escaped(paper.theme.fonts[command.face])}"`;
      const at = ` x="${round(command.x)}" y="${round(command.y)}"`;
      return `<text${at}${anchor}${style} fill="${colour(command.fill)}"${alpha(command.alpha)}>${escaped(command.text)}</text>`;
    }
  }
}

const PERIOD = 6;

function hatch(command: Extract<Command, { draw: 'hatch' }>, paper: Paper): string {
  const colour = paper.theme.colours[command.fill];
  const stripe = PERIOD * 0.42;
  const phase = round(((command.phase % PERIOD) + PERIOD) % PERIOD);
  const corners = `M0 0H${stripe}L0 ${stripe}ZM${PERIOD} 0V${stripe}L${stripe} ${PERIOD}H0Z`;
  const place = `x="${phase}" y="${round(command.y)}" width="${PERIOD}" height="${PERIOD}" patternUnits="userSpaceOnUse"`;
  const pattern = defined(paper, `<pattern id="@" ${place}><path d="${corners}" fill="${colour}"/></pattern>`);
  return `<rect${box(command)} fill="url(#${pattern})"${alpha(command.alpha)}${command.fade > 0 ? ` mask="url(#${fade(command, paper)})"` : ''}/>`;
}

/** A mask that lets everything through up to the fade, and falls to its end's share there. */
function fade(command: Extract<Command, { draw: 'hatch' }>, paper: Paper): string {
  const from = command.x + command.w - Math.min(command.w, command.fade);
  const last = command.alpha > 0 ? command.fadeTo / command.alpha : 0;
  const ends = `x1="${round(from)}" x2="${round(command.x + command.w)}" y1="0" y2="0" gradientUnits="userSpaceOnUse"`;
  const stops = `<stop offset="0" stop-color="#fff"/><stop offset="1" stop-color="#fff" stop-opacity="${round(last)}"/>`;
  const gradient = defined(paper, `<linearGradient id="@" ${ends}>${stops}</linearGradient>`);
  return defined(paper, `<mask id="@" maskUnits="userSpaceOnUse"${box(command)}><rect${box(command)} fill="url(#${gradient})"/></mask>`);
}

/** The id of a definition, the same for the same text. */
function defined(paper: Paper, text: string): string {
  const known = paper.ids.get(text);
  if (known) return known;
  const id = `d${paper.ids.size}`;
  paper.ids.set(text, id);
  paper.defs.push(text.replace('id="@"', `id="${id}"`));
  return id;
}

function rectsPath(boxes: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at + 3 < boxes.length; at += 4) {
    const [x, y, w, h] = boxes.slice(at, at + 4).map(round);
    parts.push(`M${x} ${y}h${w}v${h}h${-(w ?? 0)}z`);
  }
  return parts.join('');
}

const round = (value: number): number => Math.round(value * 100) / 100;
const box = ({ x, y, w, h }: Box): string => ` x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}"`;
const alpha = (value: number | undefined): string => (value === undefined || value === 1 ? '' : ` opacity="${round(value)}"`);
const stroke = (colour: string, width: number, dash: readonly number[] | undefined): string =>
  ` stroke="${colour}" stroke-width="${round(width)}"${dash ? ` stroke-dasharray="${dash.join(' ')}"` : ''}`;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** What a server sent is text, never markup; characters that no XML may hold are shown as a box. */
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character).replace(NOT_XML, '\u25a1');
const NOT_XML = /[\p{Cs}\uFFFE\uFFFF]|(?![\t\n\r])\p{Cc}/gu;
