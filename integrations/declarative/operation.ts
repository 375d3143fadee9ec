/**
 * An HTTP request as OpenAPI describes it, for features that `request` templates lack: parameter
 * styles, and forms with an encoding per property.
 */
export interface OperationCall {
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/pets/{petId}`, with the names that path parameters have in the document. */
  path: string;
  parameters: readonly OperationParameter[];
  body?: OperationBody;
  /** Media types of the answers, for the header `Accept`. */
  accept?: string;
  /**
   * Keys of the auth methods that the operation accepts. Empty: it is called without credentials.
   * Absent: all methods of the integration.
   */
  auth?: readonly string[];
  /** The operation may also be called without an account. */
  authOptional?: boolean;
}

type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';

/** How a list or an object is serialized; `tabDelimited` is Swagger's `tsv`. */
type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'tabDelimited' | 'deepObject';

/** A parameter, and the input that fills it. */
export interface OperationParameter {
  input: string;
  /** The name as it is sent. */
  name: string;
  in: ParameterPlace;
  style: ParameterStyle;
  explode: boolean;
  allowReserved?: boolean;
  /** For a parameter with `content`: the media type of its value. */
  contentType?: string;
}

/** A request body. Exactly one of `input` and `properties` is its source. */
export interface OperationBody {
  kind: 'json' | 'form' | 'multipart' | 'text' | 'bytes';
  contentType: string;
  /** A body is sent even if the call has none of its inputs. */
  required: boolean;
  /** The input that is the whole body. */
  input?: string;
  /** The body is an object: pairs of an input and the property that it fills. */
  properties?: readonly (readonly [input: string, property: string])[];
  /** Inputs that fill no parameter and none of `properties` are properties of their own name. */
  others?: true;
  /** Encodings of the fields of a form, by property. */
  encoding?: Readonly<Record<string, PropertyEncoding>>;
}

/** How one property of a form is encoded. */
export interface PropertyEncoding {
  contentType?: string;
  style?: ParameterStyle;
  explode?: boolean;
}
