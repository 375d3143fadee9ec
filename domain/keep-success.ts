/** Something that is made when it is first needed. */
export interface KeepSuccess<Value> {
  (): Promise<Value>;
  /** What has been made, or is being made; undefined while nobody has needed it, and after a failure. */
  current(): Promise<Value> | undefined;
}

/** Makes something when it is first needed and keeps it. A failure is told to those who waited for it and not kept: the next one tries anew. */
export function keepSuccess<Value>(make: () => Promise<Value>): KeepSuccess<Value> {
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
