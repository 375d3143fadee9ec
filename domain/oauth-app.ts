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
  createdAt: Date;
}
