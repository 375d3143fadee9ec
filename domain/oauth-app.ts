/**
 * The OAuth client of an organization for an integration. Its secret is stored encrypted and is not
 * part of this record.
 */
export interface OauthApp {
  id: string;
  orgId: string;
  integrationName: string;
  displayName: string | null;
  clientId: string;
  /**
   * Last segment of the app's redirect URI. Null if the app uses the redirect URI that apps share.
   */
  callbackId: string | null;
  createdAt: Date;
}
