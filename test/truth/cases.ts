// Every case of the truth set.
import type { TruthCase } from './case';
import { ANSWERS } from './cases/answers';
import { DEMO } from './cases/demo';
import { FAULTS } from './cases/faults';
import { HTTP } from './cases/http';
import { IDS } from './cases/ids';
import { MODERN } from './cases/modern';
import { MOMENTS } from './cases/moments';
import { REAL } from './cases/real';
import { SILENT } from './cases/silent';
import { TASKS } from './cases/tasks';

export const CASES: readonly TruthCase[] = [
  ...SILENT,
  ...ANSWERS,
  ...MOMENTS,
  ...IDS,
  ...DEMO,
  ...REAL,
  ...HTTP,
  ...MODERN,
  ...TASKS,
  ...FAULTS,
];
