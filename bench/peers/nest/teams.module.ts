import { Controller, Get, Injectable, Module, Query } from '@nestjs/common';
import { InjectModel, MongooseModule, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Model, SchemaTypes, type Types } from 'mongoose';
import { type Caller, CurrentCaller } from './auth.module.js';
import { findPage, owned, OwnedRecord, PageQuery } from './records.js';

@Schema({ collection: 'teams', ...owned })
class Team extends OwnedRecord {
  @Prop({ required: true }) name!: string;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) season!: Types.ObjectId;
  @Prop() footballType!: string;
  @Prop() ageGroup!: string;
  @Prop() gender!: string;
  @Prop() logoUrl?: string;
  @Prop({ default: false }) isArchived!: boolean;
}

@Injectable()
export class TeamsService {
  constructor(@InjectModel(Team.name) private readonly teams: Model<Team>) {}

  list({ organization }: Caller, query: PageQuery) {
    return findPage(this.teams, { organizationId: organization._id, deletedAt: null }, { createdAt: 1, _id: 1 }, query);
  }

  /** Returns the names of teams of the organization by ID. */
  async names({ organization }: Caller, ids: string[]): Promise<Map<string, string>> {
    const filter = { _id: { $in: ids }, organizationId: organization._id, deletedAt: null };
    const found = await this.teams.find(filter, { name: 1 }).lean();
    return new Map(found.map(({ _id, name }) => [String(_id), name]));
  }
}

@Controller('teams')
class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @Get() list(@CurrentCaller() caller: Caller, @Query() query: PageQuery) {
    return this.teams.list(caller, query);
  }
}

const model = MongooseModule.forFeature([{ name: Team.name, schema: SchemaFactory.createForClass(Team) }]);

@Module({ imports: [model], controllers: [TeamsController], providers: [TeamsService], exports: [TeamsService] })
export class TeamsModule {}
