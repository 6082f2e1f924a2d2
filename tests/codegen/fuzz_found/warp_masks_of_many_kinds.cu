__global__ void k(const int*a,int*o){int t=threadIdx.x,v=a[t];
 if(t<16){v+=__shfl_xor_sync(0xffff,v,8);v+=__shfl_xor_sync(0xffffu,v,4);o[t]=v;}
 else {int m=v;for(int d=8;d;d/=2){int u=__shfl_down_sync(0xffff0000u,m,d);m=max(m,u);}o[t]=m;}
 unsigned am=__activemask(); __syncwarp(); if(t==3)o[32]=am!=0;
 if(t%2){unsigned b=__ballot_sync(0xaaaaaaaau,v>0); if(t==1)o[33]=b;}
 unsigned mm=__match_any_sync(~0u,v%3); o[34+t]=mm; }
