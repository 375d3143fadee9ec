/** A value that is created on first use. */
export interface Lazy<Value> {
  (): Promise<Value>;
  /** Undefined before the first use and after a failure. */
  current(): Promise<Value> | undefined;
}

/**
 * Creates a value on first use and keeps it. A failed creation rejects, and the next use tries
 * again.
 */
export function lazy<Value>(make: () => Promise<Value>): Lazy<Value> {
  let current: Promise<Value> | undefined;
  const get = () => {
    if (current) return current;
    const made = make();
    current = made;
    made.catch(() => {
      if (current === made) current = undefined;
    });
    return made;
  };
  return Object.assign(get, { current: () => current });
}
