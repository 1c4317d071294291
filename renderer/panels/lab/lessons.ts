// The gallery: ready scenarios on the demo server, each a lesson in one race, in the order in which they are best met. They
// are the same files as on the command line (assets/lessons), taken into the page as they are.

import { readScenarioText } from '../../../app/scenario/file';
import abandonedTask from '../../../assets/lessons/abandoned-task.yaml?raw';
import blockedServer from '../../../assets/lessons/blocked-server.yaml?raw';
import crossed from '../../../assets/lessons/crossed.yaml?raw';
import ignoredLoudly from '../../../assets/lessons/ignored-loudly.yaml?raw';
import ignoredSilently from '../../../assets/lessons/ignored-silently.yaml?raw';
import neverTold from '../../../assets/lessons/never-told.yaml?raw';
import retriedTwice from '../../../assets/lessons/retried-twice.yaml?raw';
import stoppedCleanly from '../../../assets/lessons/stopped-cleanly.yaml?raw';
import tooLate from '../../../assets/lessons/too-late.yaml?raw';
import wroteThenAnswered from '../../../assets/lessons/wrote-then-answered.yaml?raw';

export interface Lesson {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly text: string;
}

const TEXTS: Readonly<Record<string, string>> = {
  'stopped-cleanly': stoppedCleanly,
  'too-late': tooLate,
  'wrote-then-answered': wroteThenAnswered,
  crossed,
  'never-told': neverTold,
  'ignored-silently': ignoredSilently,
  'ignored-loudly': ignoredLoudly,
  'retried-twice': retriedTwice,
  'abandoned-task': abandonedTask,
  'blocked-server': blockedServer,
};

export const LESSONS: readonly Lesson[] = Object.entries(TEXTS).map(([id, text]) => {
  const { scenario } = readScenarioText(text, (path) => path);
  return { id, name: scenario?.name ?? id, about: scenario?.about ?? '', text };
});
