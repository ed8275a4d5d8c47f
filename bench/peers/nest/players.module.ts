import { Body, Controller, Injectable, Module, Param, Post } from '@nestjs/common';
import { InjectModel, IsObjectIdPipe, MongooseModule, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { ArrayMaxSize, IsArray, IsEmail, IsNotEmpty, IsOptional, IsString, IsUrl, MaxLength } from 'class-validator';
import { Model, SchemaTypes, type Types } from 'mongoose';
import { teamForbidden } from '../rules.js';
import { type Caller, CurrentCaller } from './auth.module.js';
import { owned, OwnedRecord } from './records.js';
import { TeamsModule, TeamsService } from './teams.module.js';

@Schema({ collection: 'players', ...owned })
class Player extends OwnedRecord {
  @Prop({ type: SchemaTypes.ObjectId, ref: 'Team', required: true }) teamId!: Types.ObjectId;
  @Prop({ required: true }) name!: string;
  @Prop() email?: string;
  @Prop({ type: [String] }) position!: string[];
  @Prop() jerseyNumber?: string;
  @Prop() profilePicture?: string;
}

class CreatePlayerDto {
  @IsString() @IsNotEmpty() @MaxLength(120) name!: string;
  @IsOptional() @IsEmail() email?: string;
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(8)
  @IsString({ each: true })
  @MaxLength(20, { each: true })
  position?: string[];
  @IsOptional() @IsString() @MaxLength(4) jerseyNumber?: string;
  @IsOptional() @IsUrl() profilePicture?: string;
}

@Injectable()
class PlayersService {
  constructor(
    @InjectModel(Player.name) private readonly players: Model<Player>,
    private readonly teams: TeamsService,
  ) {}

  async create(caller: Caller, teamId: string, body: CreatePlayerDto) {
    const { organization, creator } = caller;
    if ((await this.teams.names(caller, [teamId])).size === 0) throw teamForbidden();
    return this.players.create({ ...body, teamId, organizationId: organization._id, createdBy: creator._id });
  }
}

@Controller('teams/:teamId/players')
class PlayersController {
  constructor(private readonly players: PlayersService) {}

  @Post() create(
    @CurrentCaller() caller: Caller,
    @Param('teamId', IsObjectIdPipe) teamId: string,
    @Body() body: CreatePlayerDto,
  ) {
    return this.players.create(caller, teamId, body);
  }
}

const model = MongooseModule.forFeature([{ name: Player.name, schema: SchemaFactory.createForClass(Player) }]);

@Module({ imports: [TeamsModule, model], controllers: [PlayersController], providers: [PlayersService] })
export class PlayersModule {}
