// The end of every exhaustive switch: a value that the types say cannot exist.

/** @throws always; the compiler refuses the call when a case was forgotten. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
