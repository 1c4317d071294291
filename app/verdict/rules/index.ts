// Every rule, worst first: the order of the headlines is the order in which they are asked.
import { HEADLINES, type Headline } from '../verdict';
import type { Rule } from '../view';
import { acknowledged } from './acknowledged';
import { completed } from './completed';
import { crossed } from './crossed';
import { doubleWrite } from './doubleWrite';
import { failed } from './failed';
import { finishedFirst } from './finishedFirst';
import { invalidCancel } from './invalidCancel';
import { lateError } from './lateError';
import { lateResult } from './lateResult';
import { lateResultWrite } from './lateResultWrite';
import { lost } from './lost';
import { neverTold } from './neverTold';
import { outlivedKill } from './outlivedKill';
import { quiet } from './quiet';
import { rolledBack } from './rolledBack';
import { settling } from './settling';
import { stillWorking } from './stillWorking';
import { stopped } from './stopped';
import { unknownRead } from './unknownRead';
import { unknownWrite } from './unknownWrite';
import { waiting } from './waiting';
import { writeAfterCancel } from './writeAfterCancel';
import { writeBeforeCancel } from './writeBeforeCancel';
import { writeOrderUnknown } from './writeOrderUnknown';

const BY_ID: Readonly<Record<Headline, Rule>> = {
  'double-write': doubleWrite,
  'write-after-cancel': writeAfterCancel,
  'never-told': neverTold,
  'outlived-kill': outlivedKill,
  'write-before-cancel': writeBeforeCancel,
  'write-order-unknown': writeOrderUnknown,
  'late-result-write': lateResultWrite,
  'still-working': stillWorking,
  'invalid-cancel': invalidCancel,
  lost,
  'unknown-write': unknownWrite,
  'late-result': lateResult,
  'late-error': lateError,
  'rolled-back': rolledBack,
  acknowledged,
  crossed,
  'unknown-read': unknownRead,
  quiet,
  stopped,
  'finished-first': finishedFirst,
  settling,
  waiting,
  completed,
  failed,
};

export const RULES: readonly Rule[] = HEADLINES.map((id) => BY_ID[id]);
export const ruleOf = (id: Headline): Rule => BY_ID[id];
