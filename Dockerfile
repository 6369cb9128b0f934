# The service: docker build -t nearcopy . && docker run -p 127.0.0.1:8000:8000 -v nearcopy:/data nearcopy
FROM python:3.13-slim AS built
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN /source/packaging/build.sh /built \
    && /source/packaging/install.sh /opt/nearcopy "$(ls /built/*.whl)" serve,postgres,redis

FROM python:3.13-slim
RUN useradd --create-home --uid 10001 nearcopy && install -d -o nearcopy /data
COPY --from=built /opt/nearcopy /opt/nearcopy
COPY packaging/start.sh packaging/healthy.sh /opt/nearcopy/bin/
ENV PATH=/opt/nearcopy/bin:$PATH NEARCOPY_HOST=0.0.0.0 NEARCOPY_PORT=8000 \
    NEARCOPY_STORE=/data/nearcopy.db NEARCOPY_TOKENS=/data/tokens.db
USER nearcopy
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=6s --start-period=60s CMD ["healthy.sh"]
CMD ["start.sh"]
