import { userInfo } from 'node:os';

/** The name of the system user of this process. Null if there is none, as in some containers. */
export function systemUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
