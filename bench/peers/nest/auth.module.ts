import { createHash } from 'node:crypto';
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { InjectModel, MongooseModule, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Request } from 'express';
import { Model, SchemaTypes, type Types } from 'mongoose';
import { invalidKey, presentedKey } from '../rules.js';

@Schema({ collection: 'users' })
class User {
  _id!: Types.ObjectId;
  @Prop({ required: true }) name!: string;
  @Prop() disabledAt?: Date;
}

@Schema({ collection: 'organizations' })
class Organization {
  _id!: Types.ObjectId;
  @Prop({ required: true }) name!: string;
  @Prop() disabledAt?: Date;
  @Prop({ type: SchemaTypes.ObjectId, ref: User.name }) creatorId!: User | null;
}

@Schema({ collection: 'benchKeys' })
class ApiKey {
  @Prop({ required: true }) digest!: string;
  @Prop({ type: SchemaTypes.ObjectId, ref: Organization.name }) organizationId!: Organization | null;
}

/** Who sends a request: the organization of the API key and the user in whose name the key acts. */
export interface Caller {
  readonly organization: Organization;
  readonly creator: User;
}
type ApiRequest = Request & { caller: Caller };

export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<ApiRequest>().caller,
);

/** Reads the key by the SHA-256 of the secret, its organization, and the organization's creator: three queries. */
@Injectable()
class ApiKeyGuard implements CanActivate {
  constructor(@InjectModel(ApiKey.name) private readonly keys: Model<ApiKey>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const digest = createHash('sha256').update(presentedKey(request.headers.authorization)).digest('hex');
    const creatorToo = { path: 'creatorId', select: 'name disabledAt' };
    const key = await this.keys.findOne({ digest }).populate({ path: 'organizationId', populate: creatorToo }).lean();
    const organization = key?.organizationId;
    const creator = organization?.creatorId;
    if (!organization || !creator || organization.disabledAt || creator.disabledAt) throw invalidKey();
    request.caller = { organization, creator };
    return true;
  }
}

const models = [ApiKey, Organization, User].map((model) => ({
  name: model.name,
  schema: SchemaFactory.createForClass<unknown>(model),
}));

@Module({ imports: [MongooseModule.forFeature(models)], providers: [{ provide: APP_GUARD, useClass: ApiKeyGuard }] })
export class AuthModule {}
