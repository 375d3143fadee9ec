import type { HostedPage } from '../layout/hosted-page.ts';

/** The handlers of one path below `/connect`. */
export type ConnectPage = Pick<HostedPage, 'get' | 'post'>;
