#include "step_trace.h"
#include "query/database.h"
#include "query/dataset_schema.h"
#include <ctime>
#include <filesystem>
using namespace stepscope;
static double Cpu(){timespec t;clock_gettime(CLOCK_PROCESS_CPUTIME_ID,&t);return t.tv_sec+t.tv_nsec/1e9;}
int main(int argc,char**argv){
  auto trace=MakeStepTrace(2000000,true);
  double n=trace->size();
  double a=Cpu();
  auto data=std::make_shared<RankData>(trace,0x1234567890abcdefLL);
  double b=Cpu();
  printf("events %.0f  RankData %.1f ns/event\n",n,(b-a)/n*1e9);
  auto sources=SourcesOf(data);
  auto db=Database::Open({{"threads","1"}});
  if(!db){puts(db.error().message.c_str());return 1;}
  (*db)->AddTable("events",sources[0],false);
  for(const char* opts: {"COMPRESSION zstd","COMPRESSION zstd, PARQUET_VERSION V2","COMPRESSION zstd, PARQUET_VERSION V2, COMPRESSION_LEVEL 1","COMPRESSION snappy, PARQUET_VERSION V2"}){
    double c=Cpu();
    auto s=(*db)->Run(std::string("COPY events TO '/tmp/ddb/x/e.parquet' (FORMAT parquet, ")+opts+")");
    if(!s){puts(s.error().message.c_str());return 1;}
    double d=Cpu();
    printf("%-60s %.1f ns/event %.2f M/s  %.2f bytes/event\n",opts,(d-c)/n*1e9,n/(d-c)/1e6,std::filesystem::file_size("/tmp/ddb/x/e.parquet")/n);
  }
  if(argc>1){
   for(auto& col: DatasetTables()[0].columns){
    double c=Cpu();
    auto s=(*db)->Run(std::string("COPY (SELECT \"")+col.name+"\" FROM events) TO '/tmp/ddb/x/c.parquet' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION V2)");
    if(!s){puts(s.error().message.c_str());return 1;}
    double d=Cpu();
    printf("  %-20s %.1f ns/event %.2f bytes\n",col.name,(d-c)/n*1e9,std::filesystem::file_size("/tmp/ddb/x/c.parquet")/n);
   }
  }
}
