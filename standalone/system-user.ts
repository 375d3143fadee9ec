import { userInfo } from 'node:os';

/** The name of the system user of this process. Some containers have none. */
export function systemUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
