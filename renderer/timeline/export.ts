// The visible part of the timeline on the clipboard: as pixels at twice the size, or as a drawing whose text is text.
import { readTheme } from '../theme/theme';
import { sheet } from './canvas';
import type { Command } from './draw';
import { svgOf } from './svg';

/** What is to be seen, and its size in CSS pixels. */
export interface Shown {
  readonly commands: readonly Command[];
  readonly width: number;
  readonly height: number;
}

const RATIO = 2;

/** @throws Error when the browser can make no PNG, or the clipboard does not take it */
export async function copyPng({ commands, width, height }: Shown): Promise<void> {
  const canvas = document.createElement('canvas');
  const paper = sheet(canvas, readTheme());
  paper.resize(width, height, RATIO);
  paper.show(commands);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('expected a PNG of the canvas, got nothing; make the window smaller and try again');
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
}

/** As a picture for programs that take one, and as text for those that take text. */
export async function copySvg({ commands, width, height }: Shown, title: string): Promise<void> {
  const svg = svgOf(commands, readTheme(), { width, height }, title);
  const text = new Blob([svg], { type: 'text/plain' });
  const picture = ClipboardItem.supports('image/svg+xml') ? { 'image/svg+xml': new Blob([svg], { type: 'image/svg+xml' }) } : {};
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text, ...picture })]);
}
