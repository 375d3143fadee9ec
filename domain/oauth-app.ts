/**
 * The OAuth client of an organization for an integration. Its secret is not part of this record.
 */
export interface OauthApp {
  id: string;
  orgId: string;
  integrationName: string;
  displayName: string | null;
  clientId: string;
  /** Last segment of the app's own redirect URI. Null if the app uses the shared one. */
  callbackId: string | null;
  createdAt: Date;
}
